package io.millrace.gateway.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.auth.policy.Principal;
import io.millrace.backend.testkit.BufferLeakExtension;
import io.millrace.gateway.jobs.store.JobState;
import io.millrace.gateway.jobs.store.ObjectFailure;
import io.millrace.gateway.jobs.store.PartPlan;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Tests packs of large shards that are stopped: where they go on, and that they leave nothing. */
@ExtendWith(BufferLeakExtension.class)
@Timeout(120)
class PackStopsTest {
    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path folder;

    private NearAndFar buckets;
    private CountingBackend target;
    private JobsFixture jobs;

    @BeforeEach
    void start() throws IOException {
        buckets = new NearAndFar(folder);
        target = buckets.target();
        jobs = buckets.jobs();
        buckets.store("big/a.bin", 60 * NearAndFar.MIB + 1);
        buckets.store("big/b.bin", 0);
        buckets.store("big/c.bin", 80 * NearAndFar.MIB + 511);
    }

    @AfterEach
    void stop() {
        buckets.close();
    }

    @Test
    void pausedPackGoesOnAtItsPart() throws IOException {
        JobStatus job = packToItsFirstPart();

        buckets.pauseAtAPart(job);
        assertThat(buckets.uploads()).isEqualTo(1);
        int parts = target.total("putPart");
        jobs.jobs().resume(JobsFixture.ADMIN, job.id()).block(JobsFixture.SOON);

        assertThat(jobs.end(job).state()).isEqualTo(JobState.DONE);
        Path shard = buckets.far().resolve("0.tar");
        int all = PartPlan.of(Files.size(shard)).count();
        assertThat(parts).isLessThan(all);
        buckets.assertStoredOnce(all);
        assertMembers(shard);
        assertThat(Files.readString(buckets.far().resolve("0.idx"))).startsWith("v1.2 3\nbin 512 ");
    }

    @Test
    void cancelledPackLeavesNothing() throws IOException {
        JobStatus job = packToItsFirstPart();

        jobs.jobs().cancel(JobsFixture.ADMIN, job.id()).block(JobsFixture.SOON);
        target.release("putPart");

        assertThat(jobs.end(job).state()).isEqualTo(JobState.CANCELLED);
        assertThat(buckets.uploads()).isZero();
        assertThat(buckets.far().toFile().list()).isEmpty();
        assertThat(buckets.folderOf(job).toFile().list())
                .noneMatch(name -> name.startsWith("pack-") || name.startsWith("upload-"));
    }

    /** The first part has all of an object that the owner may not read any more. */
    @Test
    void resumedPackHasNothingThatItsOwnerMayNoLongerRead() throws IOException {
        buckets.store("big/0.bin", 10);
        JobStatus job = packToItsFirstPart(JobsFixture.who("packer", "list:near", "read:near/big/*", "write:far"));
        buckets.pauseAtAPart(job);

        jobs.submit(
                JobsFixture.who(
                        "packer", "list:near", "read:near/big/a*", "read:near/big/b*", "read:near/big/c*", "write:far"),
                "{'kind': 'prefetch', 'from': {'bucket': 'near', 'keys': ['big/b.bin']}}");
        jobs.jobs().resume(JobsFixture.ADMIN, job.id()).block(JobsFixture.SOON);

        assertThat(jobs.end(job).state()).isEqualTo(JobState.DONE_WITH_FAILURES);
        assertThat(jobs.jobs().failures(JobsFixture.ADMIN, job.id()).block(JobsFixture.SOON))
                .extracting(ObjectFailure::reason)
                .containsExactly("AccessDenied, its owner lacks the right read on s3://near/big/0.bin");
        assertThat(buckets.uploads()).isZero();
        assertThat(buckets.far().toFile().list()).isEmpty();
    }

    private JobStatus packToItsFirstPart() {
        return packToItsFirstPart(JobsFixture.ADMIN);
    }

    private JobStatus packToItsFirstPart(Principal owner) {
        target.holdAfter(1, "putPart");
        JobStatus job = jobs.submit(
                owner,
                "{'kind': 'pack', 'from': {'bucket': 'near', 'prefix': 'big/'},"
                        + " 'to': {'bucket': 'far'}, 'shards': {'name': '%01d.tar'}, 'bandwidth': '1GiB'}");
        buckets.awaitParts(1);
        return job;
    }

    private void assertMembers(Path shard) throws IOException {
        List<String> names = new ArrayList<>();
        try (TarArchiveInputStream tar = new TarArchiveInputStream(Files.newInputStream(shard))) {
            for (TarArchiveEntry member = tar.getNextEntry(); member != null; member = tar.getNextEntry()) {
                names.add(member.getName());
                try (InputStream stored =
                        Files.newInputStream(buckets.near().resolve("big").resolve(member.getName()))) {
                    assertThat(sum(tar)).as(member.getName()).isEqualTo(sum(stored));
                }
            }
        }
        assertThat(names).containsExactly("a.bin", "b.bin", "c.bin");
    }

    private static long sum(InputStream in) throws IOException {
        CRC32 sum = new CRC32();
        byte[] buffer = new byte[1 << 16];
        for (int bytes = in.read(buffer); bytes >= 0; bytes = in.read(buffer)) {
            sum.update(buffer, 0, bytes);
        }
        return sum.getValue();
    }
}
