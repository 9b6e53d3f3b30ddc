package io.millrace.gateway.app;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.backend.spi.Capability;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.backend.testkit.Polling;
import io.millrace.backend.testkit.fault.FaultPlan;
import io.millrace.backend.testkit.fault.FaultPlan.Operation;
import io.millrace.backend.testkit.fault.FaultyBackend;
import io.millrace.backend.testkit.memory.InMemoryBackend;
import io.millrace.gateway.testkit.TestGateway;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.services.s3.model.ChecksumMode;
import software.amazon.awssdk.services.s3.model.HeadObjectResponse;
import software.amazon.awssdk.services.s3.model.NoSuchKeyException;

/** Three gateways whose objects have homes are one cache: what one of them has fetched, the others read from it. */
@Timeout(300)
class SharedPlacementTest {
    private static final String STRICT = "strict";

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path folder;

    private final InMemoryBackend objects = new InMemoryBackend(EnumSet.of(Capability.WRITE))
            .createBucket(new BucketName(ClusterNode.ANNOUNCED))
            .createBucket(new BucketName(ClusterNode.STRONG))
            .createBucket(new BucketName(STRICT));
    private final FaultyBackend backend = new FaultyBackend(objects, FaultPlan.none());
    private final AtomicInteger probes = new AtomicInteger();

    @SuppressWarnings("NullAway.Init")
    private TestGateway store;

    @SuppressWarnings("NullAway.Init")
    private List<ClusterNode> nodes;

    @BeforeEach
    void startAll() throws Exception {
        store = TestGateway.over(backend);
        nodes = List.of(
                new ClusterNode(folder, "gw-0"), new ClusterNode(folder, "gw-1"), new ClusterNode(folder, "gw-2"));
        configure("shared");
        for (ClusterNode node : nodes) {
            node.start();
        }
        nodes.forEach(ClusterNode::awaitReady);
        nodes.forEach(ClusterNode::awaitLeases);
        nodes.forEach(this::awaitRelays);
    }

    @AfterEach
    void stop() throws IOException {
        for (ClusterNode node : nodes) {
            node.close();
        }
        store.close();
    }

    private void configure(String placement) throws IOException {
        List<String> members = nodes.stream().map(ClusterNode::listed).toList();
        for (ClusterNode node : nodes) {
            node.configure(store, members, placement);
        }
    }

    /** A member that has just forgotten everything asks no home for a while. */
    private void awaitRelays(ClusterNode node) {
        Polling.until("a home has served a read", () -> {
            double before = node.relayed();
            String key = "probe-" + probes.incrementAndGet();
            store(ClusterNode.ANNOUNCED, key, new byte[1]);
            get(node, ClusterNode.ANNOUNCED, key);
            return node.relayed() > before;
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {ClusterNode.ANNOUNCED, ClusterNode.STRONG})
    void coldObjectCostsTheBackendItsBytesOnce(String bucket) throws Exception {
        byte[] content = random((12 << 20) + 123);

        // Again if this machine is so busy that a home is taken for dead: then it costs more.
        Polling.until("one object costs its bytes", () -> readByAll(bucket, content) == content.length);
    }

    /** Reads a new object by a hundred readers at once; returns how many bytes the backend has sent. */
    private long readByAll(String bucket, byte[] content) throws Exception {
        nodes.forEach(this::awaitRelays);
        String key = "large-" + probes.incrementAndGet();
        store(bucket, key, content);
        long before = backend.bytes();
        List<Future<byte[]>> reads = new ArrayList<>();
        ExecutorService readers = Executors.newFixedThreadPool(100);
        try {
            for (int reader = 0; reader < 100; reader++) {
                ClusterNode node = nodes.get(reader % nodes.size());
                reads.add(readers.submit(() -> get(node, bucket, key)));
            }
            for (Future<byte[]> read : reads) {
                assertThat(read.get()).isEqualTo(content);
            }
        } finally {
            readers.shutdownNow();
        }

        return backend.bytes() - before;
    }

    @Test
    void homeHasItForAll() {
        byte[] content = random((3 << 20) + 7);

        // Again if this machine is so busy that a home is taken for dead, or has no lease: then the backend is asked.
        Polling.until(
                "the home has it for all", () -> isReadFromItsHome("object-" + probes.incrementAndGet(), content));
    }

    /** Returns whether the backend was asked for nothing after the first read of a new object. */
    private boolean isReadFromItsHome(String key, byte[] content) {
        store(ClusterNode.ANNOUNCED, key, content);
        assertThat(get(nodes.get(0), ClusterNode.ANNOUNCED, key)).isEqualTo(content);
        long opened = backend.calls(Operation.OPEN);
        long asked = backend.calls(Operation.HEAD);

        List<HeadObjectResponse> heads = new ArrayList<>();
        for (ClusterNode node : nodes) {
            assertThat(get(node, ClusterNode.ANNOUNCED, key)).isEqualTo(content);
            heads.add(head(node, ClusterNode.ANNOUNCED, key));
            assertThat(range(node, ClusterNode.ANNOUNCED, key, 1_000_001, 2_500_000))
                    .isEqualTo(Arrays.copyOfRange(content, 1_000_001, 2_500_001));
        }

        assertThat(heads).allSatisfy(head -> {
            assertThat(head.contentType()).isEqualTo("text/plain");
            assertThat(head.metadata()).containsEntry("color", "blue");
            assertThat(head.eTag()).isEqualTo(heads.get(0).eTag());
            assertThat(head.lastModified()).isEqualTo(heads.get(0).lastModified());
        });
        return backend.calls(Operation.OPEN) == opened && backend.calls(Operation.HEAD) == asked;
    }

    /** Each is read through the member that wrote it first, which has it then. */
    @Test
    void writtenObjectsAreReadThroughAllWithoutAFetch() {
        byte[] content = random((1 << 20) + 7);

        // Again if this machine is so busy that a member is taken for dead.
        Polling.until("nobody fetches what was written", () -> {
            long before = backend.bytes();
            for (int i = 0; i < 2 * nodes.size(); i++) {
                String key = "written-" + probes.incrementAndGet();
                ClusterNode writer = nodes.get(i % nodes.size());
                writer.client()
                        .putObject(put -> put.bucket(ClusterNode.ANNOUNCED).key(key), RequestBody.fromBytes(content));
                assertThat(get(writer, ClusterNode.ANNOUNCED, key)).isEqualTo(content);
                for (ClusterNode node : nodes) {
                    assertThat(get(node, ClusterNode.ANNOUNCED, key)).isEqualTo(content);
                }
            }
            return backend.bytes() == before;
        });
    }

    /** What is read in that time the others need not fetch when it has gone. */
    @Test
    void memberThatStopsIsNoHomeWhileItStillServes() throws Exception {
        ClusterNode stopping = nodes.get(2);
        stopping.stop();
        stopping.stopAfter("4s");
        configure("shared");
        stopping.start();
        nodes.forEach(ClusterNode::awaitReady);
        nodes.forEach(ClusterNode::awaitLeases);
        nodes.forEach(this::awaitRelays);
        byte[] content = random(10_000);
        List<String> read = new ArrayList<>();
        ExecutorService thread = Executors.newSingleThreadExecutor();
        try {
            Future<?> stopped = thread.submit(stopping::stop);
            while (!stopped.isDone()) {
                String key = "late-" + probes.incrementAndGet();
                store(ClusterNode.ANNOUNCED, key, content);
                assertThat(get(nodes.get(0), ClusterNode.ANNOUNCED, key)).isEqualTo(content);
                read.add(key);
            }
            stopped.get();
        } finally {
            thread.shutdownNow();
        }
        // When the others had heard that it stops, and it still served.
        List<String> meanwhile = read.subList(read.size() * 3 / 10, read.size() * 6 / 10);
        long before = backend.bytes();

        for (String key : meanwhile) {
            assertThat(get(nodes.get(1), ClusterNode.ANNOUNCED, key)).isEqualTo(content);
        }

        // It would have been the home of a third of them.
        assertThat(backend.bytes() - before).isLessThan((long) content.length * meanwhile.size() / 6);
    }

    /** Bytes that a home has sent stay there: a second read of them is no hit, and the first must not promise it. */
    @Test
    void relayedBytesAreNotSaidToBeStored() {
        byte[] content = random(8 << 20);

        Polling.until("reads are relayed", () -> {
            String key = "object-" + probes.incrementAndGet();
            store(ClusterNode.ANNOUNCED, key, content);
            List<String> relayed = new ArrayList<>();
            for (ClusterNode node : nodes) {
                for (String range : List.of("bytes=0-9", "bytes=8000000-8000009")) {
                    double before = node.relayed();
                    String status = cacheStatus(node, key, range);
                    if (node.relayed() > before) {
                        relayed.add(status.substring(status.lastIndexOf(',') + 1));
                    }
                }
            }
            assertThat(relayed).allSatisfy(status -> assertThat(status).doesNotContain("stored"));
            // The first reads of two members bring the metadata, so that at least one was a further one.
            return relayed.size() >= 3;
        });
    }

    private static String cacheStatus(ClusterNode node, String key, String range) {
        return node.client()
                .getObjectAsBytes(
                        get -> get.bucket(ClusterNode.ANNOUNCED).key(key).range(range))
                .response()
                .sdkHttpResponse()
                .firstMatchingHeader("cache-status")
                .orElseThrow();
    }

    /** Also the first read of all, by who is not its home. */
    @Test
    void rangeOfAColdObjectIsReadThroughItsHome() throws Exception {
        double before = relayedByAll();
        for (int i = 0; i < 6; i++) {
            byte[] content = random(4 << 20);
            String key = "range-" + i;
            store(ClusterNode.STRONG, key, content);
            for (ClusterNode node : nodes) {
                assertThat(range(node, ClusterNode.STRONG, key, 3_000_000, 3_000_009))
                        .isEqualTo(Arrays.copyOfRange(content, 3_000_000, 3_000_010));
            }
        }
        assertThat(relayedByAll()).isGreaterThan(before);
    }

    private double relayedByAll() throws ReflectiveOperationException {
        double relayed = 0;
        for (ClusterNode node : nodes) {
            relayed += node.relayed();
        }
        return relayed;
    }

    @ParameterizedTest
    @ValueSource(strings = {ClusterNode.ANNOUNCED, ClusterNode.STRONG})
    void overwrittenObjectsAreSeenAtOnce(String bucket) throws Exception {
        for (int i = 0; i < 12; i++) {
            store(bucket, "key-" + i, "old".getBytes(UTF_8));
            assertAllRead(bucket, "key-" + i, "old");
        }
        for (int i = 0; i < 12; i++) {
            put(nodes.get(i % nodes.size()), bucket, "key-" + i, "new " + i);
            assertAllRead(bucket, "key-" + i, "new " + i);
        }
    }

    @Test
    void strictReadsAreStrictThroughHomes() throws Exception {
        double before = nodes.get(0).relayed();
        for (int i = 0; i < 12; i++) {
            String key = "key-" + i;
            for (String content : List.of("one", "second", "third one")) {
                store(STRICT, key, content.getBytes(UTF_8));
                assertAllRead(STRICT, key, content);
            }
        }
        assertThat(nodes.get(0).relayed()).isGreaterThan(before);
    }

    @Test
    void absentObjectIsNotFoundUntilItIsWritten() throws Exception {
        for (int i = 0; i < 12; i++) {
            String key = "absent-" + i;
            for (ClusterNode node : nodes) {
                assertThatThrownBy(() -> get(node, ClusterNode.STRONG, key)).isInstanceOf(NoSuchKeyException.class);
                assertThatThrownBy(() -> head(node, ClusterNode.STRONG, key)).isInstanceOf(NoSuchKeyException.class);
            }
            put(nodes.get(0), ClusterNode.STRONG, key, "here");
            assertAllRead(ClusterNode.STRONG, key, "here");
        }
    }

    @Test
    void deadHomeIsDoneWithout() throws Exception {
        for (int i = 0; i < 30; i++) {
            store(ClusterNode.ANNOUNCED, "key-" + i, ("content " + i).getBytes(UTF_8));
        }
        for (int i = 0; i < 10; i++) {
            assertAllRead(ClusterNode.ANNOUNCED, "key-" + i, "content " + i);
        }
        nodes.get(2).stop();

        for (int i = 0; i < 30; i++) {
            for (ClusterNode node : nodes.subList(0, 2)) {
                assertThat(text(node, ClusterNode.ANNOUNCED, "key-" + i)).isEqualTo("content " + i);
            }
        }
    }

    @Test
    void membersOfAnArchiveAreReadThroughItsHome() throws Exception {
        byte[] content = random(2 << 20);
        byte[] archive = zip(content);

        // Again if this machine is so busy that a home is taken for dead: then it costs more.
        Polling.until("an archive costs its bytes", () -> {
            String key = "shard-" + probes.incrementAndGet() + ".zip";
            store(ClusterNode.ANNOUNCED, key, archive);
            long before = backend.bytes();
            for (ClusterNode node : nodes) {
                assertThat(get(node, "files", key + "/member")).isEqualTo(content);
            }
            return backend.bytes() - before < 2L * archive.length;
        });
    }

    @Test
    void placementFollowsAReload() throws Exception {
        configure("balancer");
        for (ClusterNode node : nodes) {
            node.gateway().reload();
        }
        Polling.until("no member asks another one", () -> {
            String key = "alone-" + probes.incrementAndGet();
            store(ClusterNode.ANNOUNCED, key, new byte[1]);
            long before = backend.calls(Operation.OPEN);
            for (ClusterNode node : nodes) {
                get(node, ClusterNode.ANNOUNCED, key);
            }
            return backend.calls(Operation.OPEN) - before == nodes.size();
        });
    }

    private static byte[] zip(byte[] content) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ZipOutputStream zip = new ZipOutputStream(bytes)) {
            zip.putNextEntry(new ZipEntry("member"));
            zip.write(content);
            zip.closeEntry();
        }
        return bytes.toByteArray();
    }

    private static byte[] random(int size) {
        byte[] bytes = new byte[size];
        new Random(size).nextBytes(bytes);
        return bytes;
    }

    /** As another writer at the backend does, of whom no member hears. */
    private void store(String bucket, String key, byte[] content) {
        objects.store(
                new ObjectRef(new BucketName(bucket), new ObjectKey(key)),
                content,
                HeaderList.EMPTY.with("content-type", "text/plain").with("x-amz-meta-color", "blue"));
    }

    private static void put(ClusterNode node, String bucket, String key, String content) {
        node.client().putObject(put -> put.bucket(bucket).key(key), RequestBody.fromString(content));
    }

    private void assertAllRead(String bucket, String key, String content) {
        for (ClusterNode node : nodes) {
            assertThat(text(node, bucket, key)).isEqualTo(content);
            assertThat(head(node, bucket, key).contentLength()).isEqualTo(content.length());
        }
    }

    private static String text(ClusterNode node, String bucket, String key) {
        return new String(get(node, bucket, key), UTF_8);
    }

    private static byte[] get(ClusterNode node, String bucket, String key) {
        return node.client()
                .getObjectAsBytes(get -> get.bucket(bucket).key(key))
                .asByteArray();
    }

    private static byte[] range(ClusterNode node, String bucket, String key, int first, int last) {
        return node.client()
                .getObjectAsBytes(get -> get.bucket(bucket).key(key).range("bytes=%d-%d".formatted(first, last)))
                .asByteArray();
    }

    private static HeadObjectResponse head(ClusterNode node, String bucket, String key) {
        return node.client().headObject(head -> head.bucket(bucket).key(key).checksumMode(ChecksumMode.ENABLED));
    }
}
