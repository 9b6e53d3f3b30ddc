package io.millrace.gateway.jobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.millrace.backend.spi.Backend;
import io.millrace.backend.spi.Capability;
import io.millrace.backend.spi.ObjectHead;
import io.millrace.backend.spi.ObjectWriter.Deletion;
import io.millrace.backend.spi.ReadRequest;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.backend.testkit.BufferLeakExtension;
import io.millrace.backend.testkit.data.GeneratedBytes;
import io.millrace.backend.testkit.data.ListedPages;
import io.millrace.backend.testkit.memory.InMemoryBackend;
import io.millrace.gateway.jobs.store.JobState;
import io.millrace.gateway.jobs.store.ObjectFailure;
import io.millrace.gateway.read.OriginFixture;
import io.millrace.gateway.read.OriginFixture.Trait;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests each kind of job that reads or writes objects over a backend of one type and one in memory, the other cloud:
 * the bytes that each has afterwards, and that a comparison of the two proves it. What a type of backend cannot do is
 * left out by its capabilities.
 */
@ExtendWith(BufferLeakExtension.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(240)
abstract class BackendJobsSuite {
    private static final BucketName OTHER = new BucketName("other");

    private static final int LARGE = 5_000_000;

    /** Empty, small, and of more than one block. */
    private static final Map<String, Integer> SIZES = Map.of("a/empty", 0, "a/in/small", 1000, "a/large", LARGE);

    private static final String TYPE = "text/x-jobs";

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path folder;

    private OriginFixture origin;
    private BucketName bucket;
    private InMemoryBackend other;
    private CountingBackend counted;
    private JobsFixture jobs;

    /** Connects to what is behind the backend, or skips the class. */
    abstract OriginFixture connect() throws IOException;

    @BeforeAll
    @SuppressWarnings("NullAway.Init")
    void open() throws IOException {
        origin = connect();
    }

    @AfterAll
    void close() throws IOException {
        if (origin != null) {
            origin.close();
        }
    }

    @BeforeEach
    void start() throws IOException {
        bucket = new BucketName("jobs-" + UUID.randomUUID());
        origin.createBucket(bucket.value());
        other = new InMemoryBackend(EnumSet.of(Capability.WRITE, Capability.COPY, Capability.MULTIPART))
                .createBucket(OTHER);
        counted = new CountingBackend(origin.backend());
        jobs = new JobsFixture(folder, Map.of(bucket, counted.backend(), OTHER, other));
    }

    @AfterEach
    void stop() {
        jobs.close();
        if (canWrite()) {
            for (String key : names(origin.backend(), bucket).keySet()) {
                origin.backend()
                        .delete(Deletion.of(at(bucket, key)), HeaderList.EMPTY)
                        .block(JobsFixture.SOON);
            }
        }
    }

    @Test
    void secondPrefetchReadsNothing() throws IOException {
        putAll();

        assertDone(jobs.end(jobs.admin(prefetch())), SIZES.size());
        counted.forget();
        JobStatus second = jobs.end(jobs.admin(prefetch()));

        assertThat(second.state()).isEqualTo(JobState.DONE);
        assertThat(second.progress().skipped()).as("all but the empty one").isEqualTo(SIZES.size() - 1);
        assertThat(counted.total("open")).isZero();
    }

    @Test
    void evictedObjectsAreFetchedAgain() throws IOException {
        putAll();
        assertDone(jobs.end(jobs.admin(prefetch())), SIZES.size());

        assertThat(jobs.end(jobs.admin(prefetch().replace("prefetch", "evict"))).state())
                .isEqualTo(JobState.DONE);
        counted.forget();

        assertThat(jobs.end(jobs.admin(prefetch())).state()).isEqualTo(JobState.DONE);
        assertThat(counted.calls("open")).containsKey("a/large");
    }

    @Test
    void verifyOfTheCacheFindsWhatWasPrefetchedRight() throws IOException {
        putAll();
        assertDone(jobs.end(jobs.admin(prefetch())), SIZES.size());

        JobStatus job = jobs.end(jobs.admin(prefetch().replace("prefetch", "verify")));

        assertThat(job.state()).isEqualTo(JobState.DONE);
        assertThat(job.progress().failed()).isZero();
        assertThat(job.progress().doneBytes()).isEqualTo(LARGE + 1000);
    }

    @Test
    void copyFromItIsProvedByVerify() throws IOException {
        putAll();

        assertDone(jobs.end(jobs.admin(copy(bucket, "a/", OTHER, "b/"))), SIZES.size());

        assertSame(origin.backend(), bucket, "a/", other, OTHER, "b/");
        assertDone(jobs.end(jobs.admin(copy(bucket, "a/", OTHER, "b/").replace("'copy'", "'verify'"))), SIZES.size());
        if (origin.traits().contains(Trait.METADATA)) {
            assertThat(head(other, OTHER, "b/large").headers().first("content-type"))
                    .contains(TYPE);
        }
    }

    @Test
    void copyToItIsProvedByVerify() {
        assumeTrue(canWrite(), "is read only");
        storeAll();

        assertDone(jobs.end(jobs.admin(copy(OTHER, "a/", bucket, "b/"))), SIZES.size());

        assertSame(other, OTHER, "a/", origin.backend(), bucket, "b/");
        assertDone(jobs.end(jobs.admin(copy(OTHER, "a/", bucket, "b/").replace("'copy'", "'verify'"))), SIZES.size());
        HeaderList copied = head(origin.backend(), bucket, "b/large").headers();
        assertThat(copied.first("content-type")).contains(TYPE);
        assertThat(copied.first("x-amz-meta-m")).contains("v");
    }

    @Test
    void verifyNamesWhatDiffers() throws IOException {
        assumeTrue(canWrite(), "is read only");
        storeAll();
        assertDone(jobs.end(jobs.admin(copy(OTHER, "a/", bucket, "b/"))), SIZES.size());
        origin.put(bucket.value(), "b/large", new byte[LARGE], HeaderList.EMPTY);
        origin.put(bucket.value(), "b/in/small", new byte[999], HeaderList.EMPTY);

        JobStatus job = jobs.end(jobs.admin(copy(OTHER, "a/", bucket, "b/").replace("'copy'", "'verify'")));

        assertThat(job.state()).isEqualTo(JobState.DONE_WITH_FAILURES);
        assertThat(jobs.jobs().failures(JobsFixture.ADMIN, job.id()).block(JobsFixture.SOON))
                .extracting(ObjectFailure::key, ObjectFailure::reason)
                .containsExactlyInAnyOrder(
                        tuple("a/large", "the target has other bytes"),
                        tuple("a/in/small", "the target has 999 bytes of it, the source 1000"));
    }

    @Test
    void secondCopyWritesOnlyWhatChanged() {
        assumeTrue(canWrite(), "is read only");
        storeAll();
        assertDone(jobs.end(jobs.admin(copy(OTHER, "a/", bucket, "b/"))), SIZES.size());
        store("a/in/small", 1001);
        counted.forget();

        JobStatus second = jobs.end(jobs.admin(copy(OTHER, "a/", bucket, "b/")));

        assertThat(second.state()).isEqualTo(JobState.DONE);
        assertThat(second.progress().done()).isOne();
        assertThat(counted.calls("put")).containsOnlyKeys("b/in/small");
        assertSame(other, OTHER, "a/", origin.backend(), bucket, "b/");
    }

    @Test
    void deleteExtraLeavesTheObjectsOfTheSourceAndThoseBesideTheTarget() throws IOException {
        assumeTrue(canWrite(), "is read only");
        storeAll();
        for (String key : List.of("b/gone", "beside")) {
            origin.put(bucket.value(), key, new byte[9], HeaderList.EMPTY);
        }

        JobStatus job =
                jobs.end(jobs.admin(copy(OTHER, "a/", bucket, "b/").replace("'to'", "'deleteExtra': true, 'to'")));

        assertThat(job.state()).isEqualTo(JobState.DONE);
        assertThat(names(origin.backend(), bucket)).containsOnlyKeys("b/empty", "b/in/small", "b/large", "beside");
    }

    @Test
    void copyInsideItKeepsBytesAndMetadata() throws IOException {
        assumeTrue(canWrite(), "is read only");
        putAll();

        assertThat(jobs.end(jobs.admin(copy(bucket, "a/", bucket, "c/"))).state())
                .isEqualTo(JobState.DONE);

        assertSame(origin.backend(), bucket, "a/", origin.backend(), bucket, "c/");
        if (origin.traits().contains(Trait.METADATA)) {
            assertThat(head(origin.backend(), bucket, "c/large").headers().first("content-type"))
                    .contains(TYPE);
        }
    }

    private boolean canWrite() {
        return origin.backend().capabilities().contains(Capability.WRITE);
    }

    private String prefetch() {
        return "{'kind': 'prefetch', 'from': {'bucket': '%s', 'prefix': 'a/'}}".formatted(bucket);
    }

    private static String copy(BucketName from, String prefix, BucketName to, String target) {
        return "{'kind': 'copy', 'from': {'bucket': '%s', 'prefix': '%s'}, 'to': {'bucket': '%s', 'prefix': '%s'}}"
                .formatted(from, prefix, to, target);
    }

    private void putAll() throws IOException {
        for (Map.Entry<String, Integer> object : SIZES.entrySet()) {
            origin.put(
                    bucket.value(),
                    object.getKey(),
                    bytes(object.getKey(), object.getValue()),
                    origin.traits().contains(Trait.METADATA) ? metadata() : HeaderList.EMPTY);
        }
    }

    private void storeAll() {
        SIZES.forEach(this::store);
    }

    private void store(String key, int size) {
        other.store(at(OTHER, key), bytes(key, size), metadata());
    }

    private static HeaderList metadata() {
        return HeaderList.EMPTY.with("content-type", TYPE).with("x-amz-meta-m", "v");
    }

    private static byte[] bytes(String key, int size) {
        return new GeneratedBytes(key, 1).slice(0, size);
    }

    private static void assertDone(JobStatus job, int objects) {
        assertThat(job.state()).as(() -> job.toString()).isEqualTo(JobState.DONE);
        assertThat(job.progress().done()).isEqualTo(objects);
    }

    /** Asserts that each object below a prefix has its like below the other, and that there is no more. */
    private static void assertSame(
            Backend source, BucketName from, String prefix, Backend target, BucketName to, String targetPrefix) {
        Map<String, byte[]> sources = objects(source, from, prefix);
        assertThat(sources).hasSize(SIZES.size());
        Map<String, byte[]> targets = objects(target, to, targetPrefix);
        assertThat(targets).containsOnlyKeys(sources.keySet());
        sources.forEach((name, bytes) -> assertThat(targets.get(name)).as(name).isEqualTo(bytes));
    }

    private static Map<String, byte[]> objects(Backend backend, BucketName bucket, String prefix) {
        Map<String, byte[]> objects = new TreeMap<>();
        names(backend, bucket).keySet().stream()
                .filter(key -> key.startsWith(prefix))
                .forEach(key -> objects.put(key.substring(prefix.length()), read(backend, at(bucket, key))));
        return objects;
    }

    private static Map<String, Long> names(Backend backend, BucketName bucket) {
        Map<String, Long> names = new TreeMap<>();
        ListedPages.readAll(backend, ListedPages.request(bucket, "", "", 1000))
                .pages()
                .forEach(page ->
                        page.objects().forEach(entry -> names.put(entry.key().value(), entry.size())));
        return names;
    }

    private static ObjectHead head(Backend backend, BucketName bucket, String key) {
        return Objects.requireNonNull(
                        backend.head(ReadRequest.of(at(bucket, key))).block(JobsFixture.SOON))
                .head();
    }

    private static byte[] read(Backend backend, ObjectRef object) {
        ByteBuf all = Unpooled.buffer();
        backend.open(ReadRequest.of(object))
                .flatMapMany(content -> content.body())
                .doOnNext(piece -> {
                    all.writeBytes(piece);
                    piece.release();
                })
                .blockLast(JobsFixture.SOON);
        byte[] bytes = new byte[all.readableBytes()];
        all.readBytes(bytes);
        return bytes;
    }

    private static ObjectRef at(BucketName bucket, String key) {
        return new ObjectRef(bucket, new ObjectKey(key));
    }
}
