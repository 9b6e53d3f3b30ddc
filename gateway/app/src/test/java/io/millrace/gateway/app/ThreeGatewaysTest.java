package io.millrace.gateway.app;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.backend.spi.Capability;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.backend.testkit.memory.InMemoryBackend;
import io.millrace.gateway.testkit.TestGateway;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import software.amazon.awssdk.core.ResponseBytes;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.services.s3.model.CompletedPart;
import software.amazon.awssdk.services.s3.model.GetObjectResponse;
import software.amazon.awssdk.services.s3.model.NoSuchKeyException;
import software.amazon.awssdk.services.s3.model.ObjectIdentifier;
import software.amazon.awssdk.services.s3.model.S3Exception;
import software.amazon.awssdk.services.s3.model.S3Object;

/** Three gateways before one store are one: what is written through one of them is seen through the others. */
@Timeout(300)
class ThreeGatewaysTest {
    private static final int PART = 5 << 20;

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path folder;

    private final InMemoryBackend objects = new InMemoryBackend(EnumSet.of(Capability.WRITE, Capability.MULTIPART))
            .createBucket(new BucketName(ClusterNode.ANNOUNCED))
            .createBucket(new BucketName(ClusterNode.STRONG));

    @SuppressWarnings("NullAway.Init")
    private TestGateway store;

    @SuppressWarnings("NullAway.Init")
    private List<ClusterNode> nodes;

    @BeforeEach
    void configureAll() throws Exception {
        store = TestGateway.over(objects);
        nodes = List.of(
                new ClusterNode(folder, "gw-0"), new ClusterNode(folder, "gw-1"), new ClusterNode(folder, "gw-2"));
        configure(nodes, nodes);
    }

    @AfterEach
    void stop() throws IOException {
        for (ClusterNode node : nodes) {
            node.close();
        }
        store.close();
    }

    private void startAll() throws Exception {
        for (ClusterNode node : nodes) {
            node.start();
        }
        nodes.forEach(ClusterNode::awaitReady);
        nodes.forEach(ClusterNode::awaitLeases);
    }

    @ParameterizedTest
    @ValueSource(strings = {ClusterNode.ANNOUNCED, ClusterNode.STRONG})
    void changesThroughOneAreSeenThroughAll(String bucket) throws Exception {
        startAll();
        put(0, bucket, "key", "one");
        put(0, bucket, "other", "else");
        warm(bucket, "key", "one");

        put(1, bucket, "key", "second");
        assertAllRead(bucket, "key", "second");
        assertThat(sizes(2, bucket)).containsExactly(6L, 4L);

        upload(2, bucket, "key");
        for (int node = 0; node < nodes.size(); node++) {
            assertThat(head(node, bucket, "key")).isEqualTo(PART + 1);
            assertThat(sizes(node, bucket)).containsExactly(PART + 1L, 4L);
        }

        delete(0, bucket, "key", "other");
        for (int node = 0; node < nodes.size(); node++) {
            int reader = node;
            assertThatThrownBy(() -> get(reader, bucket, "key")).isInstanceOf(NoSuchKeyException.class);
            assertThat(sizes(node, bucket)).isEmpty();
        }
        // The absence that all remember now ends with a write through any.
        put(2, bucket, "key", "again");
        assertAllRead(bucket, "key", "again");
    }

    @ParameterizedTest
    @ValueSource(strings = {ClusterNode.ANNOUNCED, ClusterNode.STRONG})
    void invalidationThroughOneConcernsAll(String bucket) throws Exception {
        startAll();
        put(0, bucket, "key", "one");
        warm(bucket, "key", "one");
        objects.store(
                new ObjectRef(new BucketName(bucket), new ObjectKey("key")), "two".getBytes(UTF_8), HeaderList.EMPTY);
        assertAllRead(bucket, "key", "one");

        assertThat(nodes.get(1)
                        .api("POST", "/invalidations", "{\"bucket\":\"%s\"}".formatted(bucket))
                        .status())
                .isBetween(200, 204);

        assertAllRead(bucket, "key", "two");
    }

    /** Each member has an order of its own: what another one has had before costs a revalidation, and no more. */
    @ParameterizedTest
    @ValueSource(strings = {ClusterNode.ANNOUNCED, ClusterNode.STRONG})
    void eventAtAnyConcernsAllAndARepeatedOrOlderOneDoesNoHarm(String bucket) throws Exception {
        startAll();
        put(0, bucket, "key", "one");
        warm(bucket, "key", "one");
        change(bucket, "two");
        assertThat(event(1, bucket, "02")).isEqualTo("1");
        assertAllRead(bucket, "key", "two");

        // The same at another: a change that no event has reported yet shows with it.
        change(bucket, "three");
        assertThat(event(2, bucket, "02")).isEqualTo("1");
        assertAllRead(bucket, "key", "three");
        assertThat(event(2, bucket, "03")).isEqualTo("1");
        assertAllRead(bucket, "key", "three");

        // Older than the last, and than the last of the cluster.
        change(bucket, "four");
        assertThat(event(2, bucket, "02")).isEqualTo("0");
        assertThat(text(2, bucket, "key")).isEqualTo("three");
        assertThat(event(0, bucket, "01")).isEqualTo("1");
        assertAllRead(bucket, "key", "four");
        // What one ignores others need not know.
        assertThat(event(1, bucket, "04")).isEqualTo("1");
        assertAllRead(bucket, "key", "four");
    }

    private void change(String bucket, String content) {
        objects.store(
                new ObjectRef(new BucketName(bucket), new ObjectKey("key")), content.getBytes(UTF_8), HeaderList.EMPTY);
    }

    /** Reports a write of the object to a member; returns how many events that has applied. */
    private String event(int node, String bucket, String sequencer) throws IOException, InterruptedException {
        return nodes.get(node)
                .api("POST", "/notifications", """
                {"Records":[{"eventVersion":"2.1","eventSource":"aws:s3","awsRegion":"us-east-1",
                "eventTime":"2026-11-21T17:00:00.000Z","eventName":"ObjectCreated:Put","s3":{"s3SchemaVersion":"1.0",
                "bucket":{"name":"%s"},"object":{"key":"key","size":3,"eTag":"d41d8cd9","sequencer":"%s"}}}]}
                """.formatted(bucket, sequencer))
                .field("applied");
    }

    @Test
    void othersGoOnWithoutOneAndItForgetsWhatItMissed() throws Exception {
        startAll();
        put(0, ClusterNode.STRONG, "key", "one");
        put(0, ClusterNode.ANNOUNCED, "key", "one");
        warm(ClusterNode.STRONG, "key", "one");
        warm(ClusterNode.ANNOUNCED, "key", "one");

        nodes.get(2).stop();
        put(0, ClusterNode.STRONG, "key", "two");
        put(0, ClusterNode.ANNOUNCED, "key", "two");
        for (int node = 0; node < 2; node++) {
            assertThat(text(node, ClusterNode.STRONG, "key")).isEqualTo("two");
            assertThat(text(node, ClusterNode.ANNOUNCED, "key")).isEqualTo("two");
            assertThat(nodes.get(node).isReady()).isTrue();
        }
        nodes.get(2).start();
        nodes.get(2).awaitReady();
        nodes.get(2).awaitLeases();

        assertAllRead(ClusterNode.STRONG, "key", "two");
        assertAllRead(ClusterNode.ANNOUNCED, "key", "two");
        put(2, ClusterNode.STRONG, "key", "three");
        assertAllRead(ClusterNode.STRONG, "key", "three");
    }

    @Test
    void membersAreAddedAndRemovedByReloads() throws Exception {
        List<ClusterNode> first = nodes.subList(0, 2);
        configure(first, first);
        for (ClusterNode node : first) {
            node.start();
        }
        first.forEach(ClusterNode::awaitReady);
        put(0, ClusterNode.STRONG, "key", "one");

        configure(first, nodes);
        for (ClusterNode node : first) {
            node.reload(2);
        }
        nodes.get(2).start();
        nodes.forEach(ClusterNode::awaitReady);
        nodes.forEach(ClusterNode::awaitLeases);
        warm(ClusterNode.STRONG, "key", "one");
        put(2, ClusterNode.STRONG, "key", "second");
        assertAllRead(ClusterNode.STRONG, "key", "second");

        nodes.get(2).stop();
        configure(first, first);
        for (ClusterNode node : first) {
            node.reload(1);
        }
        first.forEach(ClusterNode::awaitLeases);
        put(0, ClusterNode.STRONG, "key", "three");
        assertThat(text(1, ClusterNode.STRONG, "key")).isEqualTo("three");
    }

    private void configure(List<ClusterNode> some, List<ClusterNode> listed) throws IOException {
        List<String> members = listed.stream().map(ClusterNode::listed).toList();
        for (ClusterNode node : some) {
            node.configure(store, members);
        }
    }

    @Test
    void memberThatNobodyHasConfirmedReadsAndTakesNoWrites() throws Exception {
        objects.store(
                new ObjectRef(new BucketName(ClusterNode.STRONG), new ObjectKey("key")),
                "one".getBytes(UTF_8),
                HeaderList.EMPTY);
        nodes.get(0).start();

        assertThat(nodes.get(0).ready()).startsWith("503").contains("cluster-unconfirmed", "gw-1, gw-2");
        assertThat(text(0, ClusterNode.STRONG, "key")).isEqualTo("one");
        assertThatThrownBy(() -> put(0, ClusterNode.STRONG, "key", "two"))
                .isInstanceOfSatisfying(
                        S3Exception.class,
                        refused -> assertThat(refused.statusCode()).isEqualTo(503));

        nodes.get(1).start();
        nodes.get(2).start();
        nodes.forEach(ClusterNode::awaitReady);
        assertThat(nodes.get(0).ready()).startsWith("200");
        put(0, ClusterNode.STRONG, "key", "two");
        assertAllRead(ClusterNode.STRONG, "key", "two");
    }

    /** As the console asks, which has a page of the cluster then. */
    @Test
    void callersSeeThatThereIsACluster() throws Exception {
        nodes.get(0).start();

        assertThat(nodes.get(0).api("GET", "/whoami", "").text()).contains("\"cluster\":\"test\"");
        assertThat(nodes.get(0).api("GET", "/cluster", "").text()).contains("\"node\":\"gw-0\"");
    }

    @Test
    void startSaysThatThePortIsTaken() throws Exception {
        try (ServerSocket taken = new ServerSocket(nodes.get(0).port(), 1, InetAddress.getLoopbackAddress())) {
            assertThat(taken.isBound()).isTrue();

            assertThatThrownBy(() -> nodes.get(0).start())
                    .isInstanceOf(StartException.class)
                    .hasMessageContaining("cluster.listen: cannot listen at 127.0.0.1:" + taken.getLocalPort())
                    .hasMessageContaining("To mend it");
        }
    }

    /** Reads the object and its list through all, until all serve both from memory. */
    private void warm(String bucket, String key, String content) {
        assertAllRead(bucket, key, content);
        for (int node = 0; node < nodes.size(); node++) {
            assertThat(sizes(node, bucket)).isNotEmpty();
            assertThat(get(node, bucket, key).response().sdkHttpResponse().firstMatchingHeader("cache-status"))
                    .hasValueSatisfying(status -> assertThat(status).contains("hit"));
        }
    }

    private void assertAllRead(String bucket, String key, String content) {
        for (int node = 0; node < nodes.size(); node++) {
            assertThat(text(node, bucket, key)).as("gw-" + node).isEqualTo(content);
            assertThat(head(node, bucket, key)).as("gw-" + node).isEqualTo(content.length());
        }
    }

    private void put(int node, String bucket, String key, String content) {
        nodes.get(node).client().putObject(put -> put.bucket(bucket).key(key), RequestBody.fromString(content));
    }

    private void upload(int node, String bucket, String key) {
        String id = nodes.get(node)
                .client()
                .createMultipartUpload(create -> create.bucket(bucket).key(key))
                .uploadId();
        List<CompletedPart> parts = List.of(part(node, bucket, key, id, 1, PART), part(node, bucket, key, id, 2, 1));
        nodes.get(node)
                .client()
                .completeMultipartUpload(complete ->
                        complete.bucket(bucket).key(key).uploadId(id).multipartUpload(upload -> upload.parts(parts)));
    }

    private CompletedPart part(int node, String bucket, String key, String id, int number, int size) {
        String tag = nodes.get(node)
                .client()
                .uploadPart(
                        part -> part.bucket(bucket).key(key).uploadId(id).partNumber(number),
                        RequestBody.fromBytes(new byte[size]))
                .eTag();
        return CompletedPart.builder().partNumber(number).eTag(tag).build();
    }

    private void delete(int node, String bucket, String... keys) {
        List<ObjectIdentifier> named = List.of(keys).stream()
                .map(key -> ObjectIdentifier.builder().key(key).build())
                .toList();
        assertThat(nodes.get(node)
                        .client()
                        .deleteObjects(delete -> delete.bucket(bucket).delete(all -> all.objects(named)))
                        .deleted())
                .hasSize(keys.length);
    }

    private String text(int node, String bucket, String key) {
        return get(node, bucket, key).asUtf8String();
    }

    private ResponseBytes<GetObjectResponse> get(int node, String bucket, String key) {
        return nodes.get(node)
                .client()
                .getObjectAsBytes(get -> get.bucket(bucket).key(key));
    }

    private long head(int node, String bucket, String key) {
        return nodes.get(node)
                .client()
                .headObject(head -> head.bucket(bucket).key(key))
                .contentLength();
    }

    private List<Long> sizes(int node, String bucket) {
        return nodes.get(node).client().listObjectsV2(list -> list.bucket(bucket)).contents().stream()
                .map(S3Object::size)
                .toList();
    }
}
