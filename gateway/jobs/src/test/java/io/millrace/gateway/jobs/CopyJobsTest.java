package io.millrace.gateway.jobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import io.millrace.backend.spi.Capability;
import io.millrace.backend.spi.ListRequest;
import io.millrace.backend.spi.ReadRequest;
import io.millrace.backend.spi.checksum.ChecksumAlgorithm;
import io.millrace.backend.spi.checksum.ChecksumDigest;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.backend.testkit.BufferLeakExtension;
import io.millrace.backend.testkit.data.GeneratedBytes;
import io.millrace.backend.testkit.memory.InMemoryBackend;
import io.millrace.gateway.jobs.plan.InvalidJobException;
import io.millrace.gateway.jobs.plan.JobException;
import io.millrace.gateway.jobs.store.JobProgress;
import io.millrace.gateway.jobs.store.JobState;
import io.millrace.gateway.jobs.store.ObjectFailure;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Tests of copies: the objects in the target, their metadata, and the number of writes. */
@ExtendWith(BufferLeakExtension.class)
@Timeout(120)
class CopyJobsTest {
    private static final BucketName NEAR = new BucketName("near");
    private static final BucketName FAR = new BucketName("far");

    @TempDir
    Path folder;

    private final InMemoryBackend near = new InMemoryBackend(
                    EnumSet.of(Capability.WRITE, Capability.COPY, Capability.MULTIPART, Capability.CHECKSUMS))
            .createBucket(NEAR);
    private final InMemoryBackend far = writable().createBucket(FAR);
    private final CountingBackend nearCounted = new CountingBackend(near);
    private final CountingBackend farCounted = new CountingBackend(far);
    private JobsFixture jobs;

    @BeforeEach
    void start() throws IOException {
        jobs = new JobsFixture(folder, Map.of(NEAR, nearCounted.backend(), FAR, farCounted.backend()));
    }

    @AfterEach
    void stop() {
        jobs.close();
    }

    @Test
    void copiedBytesCountWhileTheyMove() {
        store("a/large", 24 << 20, HeaderList.EMPTY);

        // It takes minutes.
        JobStatus job = jobs.admin(copy("'prefix': 'a/'", "b/", ", 'bandwidth': '256KiB'"));
        JobStatus underWay = jobs.await(
                job.id(),
                now -> now.progress().counted() && now.report().percent().orElse(0.0) >= 1);

        assertThat(underWay.progress().underWayBytes()).isPositive();
        assertThat(underWay.progress().ended()).isZero();
        assertThat(underWay.report().percent().orElseThrow()).isBetween(1.0, 99.9);
        JobStatus measured = jobs.await(
                job.id(),
                now -> now.report()
                                .speed()
                                .filter(speed -> speed.bytesPerSecond() > 0)
                                .isPresent()
                        || !now.state().isActive());
        assertThat(measured.report().speed().orElseThrow().bytesPerSecond()).isPositive();
        jobs.jobs().cancel(JobsFixture.ADMIN, job.id()).block(JobsFixture.SOON);
        assertThat(jobs.end(job).state()).isEqualTo(JobState.CANCELLED);

        JobStatus fast = jobs.end(jobs.admin(copy("'prefix': 'a/'", "b/", "")));
        assertThat(fast.progress()).isEqualTo(new JobProgress(1, 24 << 20, true, 1, 24 << 20, 0, 0, 0, 0, 24 << 20, 0));
        assertThat(fast.report().percent()).contains(100.0);
    }

    @Test
    void copyToAnotherBackendKeepsBytesAndMetadata() {
        store("a/one", 100_000, HeaderList.EMPTY.with("content-type", "text/x").with("x-amz-meta-m", "v"));
        store("a/empty", 0, HeaderList.EMPTY);

        JobStatus job = jobs.end(jobs.admin(copy("'prefix': 'a/'", "b/", "")));

        assertThat(job.state()).isEqualTo(JobState.DONE);
        assertThat(job.progress().movedBytes()).isEqualTo(100_000);
        assertThat(names(far, FAR)).containsOnlyKeys("b/one", "b/empty");
        assertThat(bytes(far, FAR, "b/one")).isEqualTo(bytes(near, NEAR, "a/one"));
        HeaderList reported = Objects.requireNonNull(
                        far.head(ReadRequest.of(at(FAR, "b/one"))).block())
                .head()
                .headers();
        assertThat(reported.first("content-type")).contains("text/x");
        assertThat(reported.first("x-amz-meta-m")).contains("v");
    }

    @Test
    void bytesWithoutTheChecksumOfTheirSourceAreNotCopied() {
        byte[] bytes = new GeneratedBytes("a/one", 1).slice(0, 100_000);
        String crc = crc32c(bytes);
        String other = crc32c(new byte[1]);
        near.store(at(NEAR, "a/right"), bytes, HeaderList.EMPTY.with("x-amz-checksum-crc32c", crc));
        near.store(at(NEAR, "a/wrong"), bytes, HeaderList.EMPTY.with("x-amz-checksum-crc32c", other));

        JobStatus job = jobs.end(jobs.admin(copy("'prefix': 'a/'", "b/", "")));

        assertThat(job.state()).isEqualTo(JobState.DONE_WITH_FAILURES);
        assertThat(names(far, FAR)).containsOnlyKeys("b/right");
    }

    @Test
    void listedObjectCostsOneRequest() {
        store("a/one", 100_000, HeaderList.EMPTY);

        jobs.end(jobs.admin(copy("'prefix': 'a/'", "b/", "")));

        assertThat(nearCounted.total("open")).isEqualTo(1);
        assertThat(nearCounted.total("head")).isZero();
    }

    @Test
    void inventoriedObjectCostsOneRequest() {
        store("a/one", 100_000, HeaderList.EMPTY);
        near.store(at(NEAR, "inv/a.csv"), """
                "a%2Fone","100000","2026-03-01T10:20:30.000Z"
                """.getBytes(StandardCharsets.UTF_8), HeaderList.EMPTY);
        near.store(at(NEAR, "inv/manifest.json"), """
                {"sourceBucket": "near", "fileFormat": "CSV", "fileSchema": "Key, Size, LastModifiedDate",
                 "files": [{"key": "inv/a.csv"}]}
                """.getBytes(StandardCharsets.UTF_8), HeaderList.EMPTY);

        jobs.end(jobs.admin(copy("'manifest': 'inv/manifest.json'", "", "")));

        assertThat(bytes(far, FAR, "a/one")).isEqualTo(bytes(near, NEAR, "a/one"));
        assertThat(nearCounted.calls("open"))
                .hasEntrySatisfying("a/one", calls -> assertThat(calls).hasValue(1));
        assertThat(nearCounted.total("head")).isZero();
    }

    @Test
    void copiesCachedBytesWithoutRequestingThem() {
        store("a/one", 3 << 20, HeaderList.EMPTY.with("content-type", "text/x"));
        store("a/empty", 0, HeaderList.EMPTY);
        jobs.end(jobs.admin("{'kind': 'prefetch', 'from': {'bucket': 'near', 'prefix': 'a/'}}"));
        nearCounted.forget();

        JobStatus job = jobs.end(jobs.admin(copy("'prefix': 'a/'", "b/", "")));

        assertThat(job.state()).isEqualTo(JobState.DONE);
        assertThat(bytes(far, FAR, "b/one")).isEqualTo(bytes(near, NEAR, "a/one"));
        assertThat(nearCounted.calls("open")).doesNotContainKey("a/one");
        assertThat(nearCounted.calls("head")).doesNotContainKey("a/one");
        HeaderList copied = Objects.requireNonNull(
                        far.head(ReadRequest.of(at(FAR, "b/one"))).block())
                .head()
                .headers();
        assertThat(copied.first("content-type")).contains("text/x");
    }

    @Test
    void listedObjectsWhoseCachedMetadataAreStaleCostNoRequestIfTheirBytesAreCached() {
        store("a/one", 3 << 20, HeaderList.EMPTY.with("content-type", "text/x"));
        store("a/empty", 0, HeaderList.EMPTY);
        jobs.end(jobs.admin("{'kind': 'prefetch', 'from': {'bucket': 'near', 'prefix': 'a/'}}"));
        jobs.turnClockAhead(Duration.ofHours(1));
        nearCounted.forget();

        JobStatus job = jobs.end(jobs.admin(copy("'prefix': 'a/'", "b/", "")));

        assertThat(job.progress().done()).isEqualTo(2);
        assertThat(bytes(far, FAR, "b/one")).isEqualTo(bytes(near, NEAR, "a/one"));
        assertThat(nearCounted.total("open")).isZero();
        assertThat(nearCounted.total("head")).isZero();

        JobStatus named = jobs.end(jobs.admin(copy("'keys': ['a/one']", "c/", "")));

        assertThat(named.progress().done()).isEqualTo(1);
        assertThat(nearCounted.total("open")).isZero();
        assertThat(nearCounted.total("head")).as("no listing has told").isEqualTo(1);
    }

    @Test
    void listedObjectsWhoseBytesAreNotAllCachedCostOneRequest() {
        store("a/one", 3 << 20, HeaderList.EMPTY);
        jobs.end(jobs.admin(
                "{'kind': 'prefetch', 'from': {'bucket': 'near', 'prefix': 'a/'}, 'range': 'bytes=0-1048575'}"));
        jobs.turnClockAhead(Duration.ofHours(1));
        nearCounted.forget();

        jobs.end(jobs.admin(copy("'prefix': 'a/'", "b/", "")));

        assertThat(bytes(far, FAR, "b/one")).isEqualTo(bytes(near, NEAR, "a/one"));
        assertThat(nearCounted.total("open")).isEqualTo(1);
        assertThat(nearCounted.total("head")).isZero();
    }

    @Test
    void invalidatedObjectsAreRequestedThoughTheListingIsTheSame() {
        store("a/one", 3 << 20, HeaderList.EMPTY);
        jobs.end(jobs.admin("{'kind': 'prefetch', 'from': {'bucket': 'near', 'prefix': 'a/'}}"));
        jobs.invalidate(at(NEAR, "a/"));
        nearCounted.forget();

        jobs.end(jobs.admin(copy("'prefix': 'a/'", "b/", "")));

        assertThat(bytes(far, FAR, "b/one")).isEqualTo(bytes(near, NEAR, "a/one"));
        assertThat(nearCounted.total("head") + nearCounted.total("open")).isEqualTo(1);
    }

    @Test
    void copiesTheListedVersionThoughAnotherIsCached() {
        store("a/one", 3 << 20, HeaderList.EMPTY);
        jobs.end(jobs.admin("{'kind': 'prefetch', 'from': {'bucket': 'near', 'prefix': 'a/'}}"));
        near.store(at(NEAR, "a/one"), new byte[3 << 20], HeaderList.EMPTY);

        jobs.end(jobs.admin(copy("'prefix': 'a/'", "b/", "")));

        assertThat(bytes(far, FAR, "b/one")).isEqualTo(new byte[3 << 20]);
    }

    @Test
    void copyInsideOneBackendUsesBackendCopy() {
        store("a/one", 1000, HeaderList.EMPTY);

        JobStatus job = jobs.end(
                jobs.admin("{'kind': 'copy', 'from': {'bucket': 'near', 'prefix': 'a/'}, 'to': {'bucket': 'near',"
                        + " 'prefix': 'b/'}}"));

        assertThat(job.state()).isEqualTo(JobState.DONE);
        assertThat(job.progress().movedBytes()).isZero();
        assertThat(nearCounted.calls("copy")).hasSize(1);
        assertThat(nearCounted.calls("open")).isEmpty();
        assertThat(nearCounted.calls("head")).isEmpty();
        assertThat(names(near, NEAR)).containsOnlyKeys("a/one", "b/one");
    }

    @Test
    void bandwidthPacesCopiesInsideOneBackend() {
        store("a/one", 1 << 20, HeaderList.EMPTY);
        store("a/two", 1 << 20, HeaderList.EMPTY);

        JobStatus job = jobs.admin(
                "{'kind': 'copy', 'bandwidth': '1KiB', 'from': {'bucket': 'near', 'prefix': 'a/'}, 'to': {'bucket':"
                        + " 'near', 'prefix': 'b/'}}");
        jobs.await(job.id(), now -> now.progress().done() > 0);
        jobs.jobs().pause(JobsFixture.ADMIN, job.id()).block(JobsFixture.SOON);

        // The second one would have begun after 1,024 seconds.
        JobStatus paused = jobs.end(job);
        assertThat(paused.state()).isEqualTo(JobState.PAUSED);
        assertThat(paused.progress().done()).isOne();
        assertThat(nearCounted.calls("copy")).hasSize(1);
    }

    @Test
    void skipsObjectsThatTheTargetHas() {
        store("same", 10, HeaderList.EMPTY);
        store("other-size", 10, HeaderList.EMPTY);
        jobs.end(jobs.admin(copy("'prefix': ''", "", "")));
        store("other-size", 11, HeaderList.EMPTY);
        store("new", 5, HeaderList.EMPTY);
        farCounted.forget();

        JobStatus changed = jobs.end(jobs.admin(copy("'prefix': ''", "", "")));

        assertThat(changed.progress().done()).isEqualTo(2);
        assertThat(changed.progress().skipped()).isEqualTo(1);
        assertThat(farCounted.calls("put")).containsOnlyKeys("new", "other-size");
        assertThat(farCounted.calls("head")).isEmpty();

        farCounted.forget();
        jobs.end(jobs.admin(copy("'prefix': ''", "", ", 'overwrite': 'if-absent'")));
        assertThat(farCounted.calls("put")).isEmpty();
        jobs.end(jobs.admin(copy("'prefix': ''", "", ", 'overwrite': 'always'")));
        assertThat(farCounted.calls("put")).hasSize(3);
    }

    @Test
    void deleteExtraDeletesWhatOnlyTheTargetHas() {
        store("x/a", 1, HeaderList.EMPTY);
        store("x/c", 1, HeaderList.EMPTY);
        for (String name : List.of("y/a", "y/b", "y/d", "z")) {
            far.store(at(FAR, name), new byte[9], HeaderList.EMPTY);
        }

        JobStatus job = jobs.end(jobs.admin(copy("'prefix': 'x/'", "y/", ", 'deleteExtra': true")));

        assertThat(job.state()).isEqualTo(JobState.DONE);
        assertThat(names(far, FAR)).containsOnlyKeys("y/a", "y/c", "z");
        assertThat(names(far, FAR)).containsEntry("y/a", 1L);
    }

    @Test
    void emptySourceDeletesNothing() {
        far.store(at(FAR, "y/a"), new byte[9], HeaderList.EMPTY);

        JobStatus job = jobs.end(jobs.admin(copy("'prefix': 'x/'", "y/", ", 'deleteExtra': true")));

        assertThat(job.state()).isEqualTo(JobState.FAILED);
        assertThat(names(far, FAR)).containsOnlyKeys("y/a");
    }

    /** It may have lost them, or not list them now: who knows better says so. */
    @Test
    void copyThatWouldDeleteMostOfItsTargetDoesNothing() {
        store("x/00", 1, HeaderList.EMPTY);
        store("x/new", 1, HeaderList.EMPTY);
        for (int i = 0; i < 20; i++) {
            far.store(at(FAR, "y/%02d".formatted(i)), new byte[9], HeaderList.EMPTY);
        }

        JobStatus refused = jobs.end(jobs.admin(copy("'prefix': 'x/'", "y/", ", 'deleteExtra': true")));

        assertThat(refused.state()).isEqualTo(JobState.FAILED);
        assertThat(refused.message())
                .contains("would delete 19 objects", "more than half of the 20", "maxDelete 19 (--max-delete 19)");
        assertThat(names(far, FAR)).hasSize(20).doesNotContainKey("y/new");
        assertThat(farCounted.total("put") + farCounted.total("delete")).isZero();

        JobStatus fewer = jobs.end(jobs.admin(copy("'prefix': 'x/'", "y/", ", 'deleteExtra': true, 'maxDelete': 18")));
        assertThat(fewer.message()).contains("more than maxDelete allows (18)");
        assertThat(names(far, FAR)).hasSize(20);

        JobStatus meant = jobs.end(jobs.admin(copy("'prefix': 'x/'", "y/", ", 'deleteExtra': true, 'maxDelete': 19")));
        assertThat(meant.state()).isEqualTo(JobState.DONE);
        assertThat(names(far, FAR)).containsOnlyKeys("y/00", "y/new");
    }

    /** The rest of the target is no measure after the job has deleted from it. */
    @Test
    void boundOfDeletionsHoldsForAllRunsOfAJob() {
        for (int i = 0; i < 30; i++) {
            far.store(at(FAR, "y/%02d".formatted(i)), new byte[1], HeaderList.EMPTY);
            if (i >= 10) {
                store("x/%02d".formatted(i), 1, HeaderList.EMPTY);
            }
        }
        farCounted.holdAfter(5, "delete");
        JobStatus job = jobs.admin(copy("'prefix': 'x/'", "y/", ", 'deleteExtra': true, 'workers': 1"));
        jobs.await(job.id(), now -> farCounted.total("delete") == 5);
        jobs.jobs().pause(JobsFixture.ADMIN, job.id()).block(JobsFixture.SOON);
        farCounted.release("delete");
        assertThat(jobs.end(job).state()).isEqualTo(JobState.PAUSED);
        int left = names(far, FAR).size();
        for (int i = 10; i < 17; i++) {
            near.remove(at(NEAR, "x/%02d".formatted(i)));
        }

        jobs.jobs().resume(JobsFixture.ADMIN, job.id()).block(JobsFixture.SOON);

        JobStatus refused = jobs.end(job);
        assertThat(refused.state()).isEqualTo(JobState.FAILED);
        assertThat(refused.message()).contains("more than the 15 that it may in all its runs");
        assertThat(names(far, FAR)).hasSize(left);
    }

    @Test
    void verifyComparesCopyWithSource() {
        store("x/a", 1000, HeaderList.EMPTY);
        store("x/b", 1000, HeaderList.EMPTY);
        store("x/c", 1000, HeaderList.EMPTY);
        store("x/d", 1000, HeaderList.EMPTY);
        jobs.end(jobs.admin(copy("'prefix': 'x/'", "y/", "")));
        far.store(at(FAR, "y/b"), new byte[1000], HeaderList.EMPTY);
        far.store(at(FAR, "y/c"), new byte[999], HeaderList.EMPTY);
        far.remove(at(FAR, "y/d"));

        JobStatus job = jobs.end(jobs.admin(copy("'prefix': 'x/'", "y/", "").replace("'copy'", "'verify'")));

        assertThat(job.state()).isEqualTo(JobState.DONE_WITH_FAILURES);
        assertThat(job.progress().done()).isEqualTo(1);
        assertThat(jobs.jobs().failures(JobsFixture.ADMIN, job.id()).block(JobsFixture.SOON))
                .extracting(ObjectFailure::key, ObjectFailure::reason)
                .containsExactlyInAnyOrder(
                        tuple("x/b", "the target has other bytes"),
                        tuple("x/c", "the target has 999 bytes of it, the source 1000"),
                        tuple("x/d", "the target does not have it"));
    }

    @Test
    void refusesTargetInsideSelection() {
        assertThatThrownBy(() -> jobs.admin(
                        "{'kind': 'copy', 'from': {'bucket': 'near', 'prefix': 'a/'}, 'to': {'bucket': 'near',"
                                + " 'prefix': 'a/b/'}}"))
                .isInstanceOf(InvalidJobException.class);
    }

    @Test
    void copiesNamedKeysWithinOneBucket() {
        store("a/one", 10, HeaderList.EMPTY);

        JobStatus job = jobs.end(
                jobs.admin("{'kind': 'copy', 'from': {'bucket': 'near', 'keys': ['a/one']}, 'to': {'bucket': 'near',"
                        + " 'prefix': 'b/'}}"));

        assertThat(job.state()).isEqualTo(JobState.DONE);
        assertThat(names(near, NEAR)).containsOnlyKeys("a/one", "b/a/one");
        assertThatThrownBy(() -> jobs.admin(
                        "{'kind': 'copy', 'from': {'bucket': 'near', 'keys': ['a/one']}, 'to': {'bucket': 'near'}}"))
                .isInstanceOf(InvalidJobException.class);
    }

    @Test
    void verifyRequiresReadOnTarget() {
        store("a/one", 10, HeaderList.EMPTY);
        jobs.end(jobs.admin(copy("'prefix': 'a/'", "b/", "")));
        String verify =
                "{'kind': 'verify', 'from': {'bucket': 'near', 'keys': ['a/one']}, 'to': {'bucket': 'far', 'prefix':"
                        + " 'b/'}}";

        JobStatus reader = jobs.end(
                jobs.submit(JobsFixture.who("reader", "admin,read:near", "read:far"), verify.replace("'b/'", "''")));
        JobStatus stranger = jobs.end(jobs.submit(
                JobsFixture.who("half", "admin,read:near", "read:far/b/*"), verify.replace("'b/'", "'c/'")));

        assertThat(jobs.jobs().failures(JobsFixture.ADMIN, reader.id()).block(JobsFixture.SOON))
                .singleElement()
                .satisfies(failure -> assertThat(failure.reason()).contains("does not have it"));
        assertThat(jobs.jobs().failures(JobsFixture.ADMIN, stranger.id()).block(JobsFixture.SOON))
                .singleElement()
                .satisfies(failure -> assertThat(failure.reason()).contains("read"));
        assertThatThrownBy(() -> jobs.submit(JobsFixture.who("writer", "admin,read:near", "write:far"), verify))
                .isInstanceOf(JobException.class);
    }

    @Test
    void objectsThatOwnerMayNotWriteFail() {
        store("a/1", 1, HeaderList.EMPTY);

        JobStatus job = jobs.end(jobs.submit(
                JobsFixture.who("reader", "read,list:near", "write,list:far/mine/*"),
                copy("'keys': ['a/1']", "theirs/", "")));

        assertThat(job.state()).isEqualTo(JobState.DONE_WITH_FAILURES);
        assertThat(names(far, FAR)).isEmpty();
    }

    @Test
    void failuresAreRetriedUnderTheSameNames() {
        store("x/a", 1, HeaderList.EMPTY);
        store("x/b", 1, HeaderList.EMPTY);
        JobStatus first = jobs.end(jobs.submit(
                JobsFixture.who("half", "read,list:near", "list:far", "write:far/y/a"),
                copy("'prefix': 'x/'", "y/", "")));
        assertThat(names(far, FAR)).containsOnlyKeys("y/a");

        JobStatus again = jobs.end(Objects.requireNonNull(jobs.jobs()
                .submit(JobsFixture.ADMIN, first.request().ofFailures(first.id()))
                .block(JobsFixture.SOON)));

        assertThat(again.state()).isEqualTo(JobState.DONE);
        assertThat(names(far, FAR)).containsOnlyKeys("y/a", "y/b");
    }

    /** Merges listings whose order differs between bytes and chars. */
    @Test
    void comparesListingsInByteOrder() {
        Random random = new Random(7);
        List<String> names = List.of("a", "a/b", "a.b", "a/", "é", "\uFFFD", "😀", "z", "a//b", "~");
        for (int round = 0; round < 20; round++) {
            Map<String, Long> wanted = new TreeMap<>();
            near.createBucket(NEAR);
            for (String name : names) {
                near.remove(at(NEAR, "p/" + name));
                far.remove(at(FAR, "q/" + name));
                if (random.nextBoolean()) {
                    int size = 1 + random.nextInt(2);
                    store("p/" + name, size, HeaderList.EMPTY);
                    wanted.put("q/" + name, (long) size);
                }
                if (random.nextBoolean()) {
                    far.store(at(FAR, "q/" + name), new byte[1 + random.nextInt(2)], HeaderList.EMPTY);
                }
            }
            store("p/always", 1, HeaderList.EMPTY);
            wanted.put("q/always", 1L);

            jobs.end(jobs.admin(copy("'prefix': 'p/'", "q/", ", 'deleteExtra': true")));

            assertThat(names(far, FAR)).as("round %d", round).isEqualTo(wanted);
        }
    }

    @Test
    void repeatedlyInterruptedJobWritesEachObjectOnce() throws IOException {
        for (int i = 0; i < 600; i++) {
            store("k%03d".formatted(i), 10, HeaderList.EMPTY);
        }
        farCounted.pause(3);
        JobStatus job = jobs.admin(copy("'prefix': ''", "", ", 'overwrite': 'always', 'workers': 4"));
        for (int i = 0; i < 10; i++) {
            long reached = 20L * (i + 1);
            jobs.await(job.id(), status -> status.progress().ended() >= reached);
            jobs.restart();
        }

        JobStatus ended = jobs.end(job);

        assertThat(ended.state()).isEqualTo(JobState.DONE);
        assertThat(ended.progress().ended()).isEqualTo(600);
        assertThat(farCounted.calls("put"))
                .hasSize(600)
                .allSatisfy((key, count) -> assertThat(count).hasValue(1));
    }

    private static String copy(String selection, String prefix, String more) {
        return "{'kind': 'copy', 'from': {'bucket': 'near', %s}, 'to': {'bucket': 'far', 'prefix': '%s'}%s}"
                .formatted(selection, prefix, more);
    }

    private void store(String key, int bytes, HeaderList headers) {
        near.store(at(NEAR, key), new GeneratedBytes(key, 1).slice(0, bytes), headers);
    }

    private static String crc32c(byte[] bytes) {
        ChecksumDigest digest = ChecksumAlgorithm.CRC32C.newDigest();
        digest.update(Unpooled.wrappedBuffer(bytes));
        return digest.base64();
    }

    private static ObjectRef at(BucketName bucket, String key) {
        return new ObjectRef(bucket, new ObjectKey(key));
    }

    private static Map<String, Long> names(InMemoryBackend backend, BucketName bucket) {
        Map<String, Long> names = new TreeMap<>();
        Objects.requireNonNull(backend.listObjects(new ListRequest(
                                bucket, "", "", new ListRequest.PageStart.FirstKey(), ListRequest.MAX_KEYS, false))
                        .block())
                .objects()
                .forEach(entry -> names.put(entry.key().value(), entry.size()));
        return names;
    }

    private static byte[] bytes(InMemoryBackend backend, BucketName bucket, String key) {
        ByteBuf all = Unpooled.buffer();
        backend.open(ReadRequest.of(at(bucket, key)))
                .flatMapMany(content -> content.body())
                .doOnNext(piece -> {
                    all.writeBytes(piece);
                    piece.release();
                })
                .blockLast();
        byte[] bytes = new byte[all.readableBytes()];
        all.readBytes(bytes);
        return bytes;
    }

    private static InMemoryBackend writable() {
        return new InMemoryBackend(EnumSet.of(Capability.WRITE, Capability.COPY, Capability.MULTIPART));
    }
}
