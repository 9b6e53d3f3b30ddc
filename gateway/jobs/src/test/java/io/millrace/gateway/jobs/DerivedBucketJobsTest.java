package io.millrace.gateway.jobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.backend.spi.Capability;
import io.millrace.backend.spi.ReadRequest;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.backend.testkit.BufferLeakExtension;
import io.millrace.backend.testkit.Polling;
import io.millrace.backend.testkit.memory.InMemoryBackend;
import io.millrace.gateway.jobs.plan.InvalidJobException;
import io.millrace.gateway.jobs.store.JobState;
import io.millrace.gateway.objects.bucket.BucketViews;
import io.netty.buffer.ByteBuf;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.zip.CRC32;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Jobs work on members of archives as on other objects; what is cached of them is the archives', or decoded. */
@ExtendWith(BufferLeakExtension.class)
@Timeout(120)
class DerivedBucketJobsTest {
    private static final BucketName SHARDS = new BucketName("shards");
    private static final BucketName TARGET = new BucketName("target");

    @TempDir
    Path folder;

    private final InMemoryBackend shards =
            new InMemoryBackend(EnumSet.of(Capability.WRITE, Capability.LIST)).createBucket(SHARDS);
    private final InMemoryBackend target =
            new InMemoryBackend(EnumSet.of(Capability.WRITE, Capability.LIST)).createBucket(TARGET);
    private final CountingBackend counted = new CountingBackend(shards);
    private final Map<String, byte[]> files = new LinkedHashMap<>();
    private JobsFixture jobs;

    @BeforeEach
    void start() throws IOException {
        jobs = JobsFixture.withDerived(
                folder,
                Map.of(SHARDS, counted.backend(), TARGET, target),
                BucketViews.derived("samples", "shards", "*.zip", ""));
        byte[] large = new byte[2_500_000];
        new Random(1).nextBytes(large);
        files.put("large", large);
        files.put("folder/small", "small".getBytes(StandardCharsets.UTF_8));
        files.put("empty", new byte[0]);
        store(ZipEntry.STORED);
    }

    private void store(int method) throws IOException {
        shards.store(new ObjectRef(SHARDS, new ObjectKey("a.zip")), zip(method), HeaderList.EMPTY);
    }

    private byte[] zip(int method) throws IOException {
        ByteArrayOutputStream archive = new ByteArrayOutputStream();
        try (ZipOutputStream zip = new ZipOutputStream(archive)) {
            for (Map.Entry<String, byte[]> file : files.entrySet()) {
                ZipEntry entry = new ZipEntry(file.getKey());
                entry.setMethod(method);
                entry.setSize(file.getValue().length);
                CRC32 sum = new CRC32();
                sum.update(file.getValue());
                entry.setCrc(sum.getValue());
                zip.putNextEntry(entry);
                zip.write(file.getValue());
            }
        }
        return archive.toByteArray();
    }

    @AfterEach
    void stop() {
        jobs.close();
    }

    @ParameterizedTest
    @ValueSource(ints = {ZipEntry.STORED, ZipEntry.DEFLATED})
    void copyExtractsMembers(int method) throws IOException {
        store(method);

        JobStatus job = jobs.end(jobs.admin("{'kind': 'copy', 'from': {'bucket': 'samples', 'prefix': ''},"
                + " 'to': {'bucket': 'target', 'prefix': ''}}"));

        assertThat(job.state()).isEqualTo(JobState.DONE);
        files.forEach(
                (name, content) -> assertThat(bytesAtTarget("a.zip/" + name)).isEqualTo(content));
    }

    @Test
    void prefetchBringsTheBlocksOfTheShard() {
        JobStatus job = jobs.end(jobs.admin("{'kind': 'prefetch', 'from': {'bucket': 'samples', 'prefix': ''}}"));

        assertThat(job.state()).isEqualTo(JobState.DONE);
        assertThat(job.progress().done() + job.progress().skipped()).isEqualTo(3);
        assertThat(jobs.cache().administration().stats().records()).isEqualTo(3);
    }

    @Test
    void prefetchCountsNoMoreThanItIsAskedFor() {
        JobStatus job = jobs.end(jobs.admin("{'kind': 'prefetch',"
                + " 'from': {'bucket': 'samples', 'keys': ['a.zip/large']},"
                + " 'range': 'bytes=1500000-1500999'}"));

        assertThat(job.state()).isEqualTo(JobState.DONE);
        assertThat(job.progress().movedBytes()).isLessThanOrEqualTo(1000);
    }

    @Test
    void prefetchDecodesMembers() throws IOException {
        store(ZipEntry.DEFLATED);

        JobStatus job = jobs.end(jobs.admin("{'kind': 'prefetch', 'from': {'bucket': 'samples', 'prefix': ''}}"));

        assertThat(job.state()).isEqualTo(JobState.DONE);
        assertThat(job.progress().done() + job.progress().skipped()).isEqualTo(3);
        // Blocks of the shard, of the large member, and of the small one.
        Polling.until(
                "all are stored", () -> jobs.cache().administration().stats().records() == 3 + 3 + 1);
    }

    @Test
    void whatIsOnTheCacheIsRefusedWithItsBucket() {
        for (String request : new String[] {
            "{'kind': 'evict', 'from': {'bucket': 'samples', 'prefix': ''}}",
            "{'kind': 'verify', 'from': {'bucket': 'samples', 'prefix': ''}}",
            "{'kind': 'prefetch', 'from': {'bucket': 'samples', 'prefix': ''}, 'pin': 'PT1H'}"
        }) {
            assertThatThrownBy(() -> jobs.admin(request))
                    .as(request)
                    .isInstanceOf(InvalidJobException.class)
                    .hasMessageContaining("shards");
        }
    }

    @Test
    void copyIntoMembersIsRefused() {
        assertThatThrownBy(() -> jobs.admin("{'kind': 'copy', 'from': {'bucket': 'target', 'prefix': ''},"
                        + " 'to': {'bucket': 'samples', 'prefix': ''}}"))
                .isInstanceOf(InvalidJobException.class)
                .hasMessageContaining("is read-only, because it is derived from 'shards'");
    }

    private byte[] bytesAtTarget(String key) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        Objects.requireNonNull(target.open(ReadRequest.of(new ObjectRef(TARGET, new ObjectKey(key))))
                        .block(JobsFixture.SOON))
                .body()
                .doOnNext(piece -> add(all, piece))
                .blockLast(JobsFixture.SOON);
        return all.toByteArray();
    }

    private static void add(ByteArrayOutputStream all, ByteBuf piece) {
        byte[] bytes = new byte[piece.readableBytes()];
        piece.readBytes(bytes).release();
        all.writeBytes(bytes);
    }
}
