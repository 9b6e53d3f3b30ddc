package io.millrace.gateway.write;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.testkit.data.GeneratedBytes;
import io.millrace.gateway.read.OriginFixture;
import io.millrace.gateway.read.RawResponse;
import io.millrace.gateway.testkit.RawClient;
import io.millrace.gateway.testkit.TestGateway;
import java.io.IOException;
import java.util.Set;
import java.util.UUID;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.S3Object;

/** What the cases share: the gateway in front of an origin, and ways to ask it. All is written through the gateway. */
interface EndpointWriteCases {
    /** Everything on the keys {@code free/*} of every bucket, and nothing else. */
    String RESTRICTED_KEY = "RESTRICTED";

    String RESTRICTED_SECRET = "restricted-secret";

    /** A bucket of another backend than all others. */
    String ACROSS = "across";

    OriginFixture origin();

    TestGateway gateway();

    /** The SDK's client, speaking to the gateway. */
    S3Client sdk();

    /** A bucket for objects that nobody lists. */
    String bucket();

    Set<OptionalFeature> abilities();

    default boolean can(OptionalFeature ability) {
        return abilities().contains(ability);
    }

    default String newBucket() {
        String name = "write-" + UUID.randomUUID();
        sdk().createBucket(create -> create.bucket(name));
        return name;
    }

    default String target(String key) {
        return RawResponse.path(bucket(), key);
    }

    default RawClient.Response send(SignedWriteRequest ask) throws IOException {
        return ask.send(gateway().port());
    }

    default RawClient.Response get(String key, String... fields) throws IOException {
        return send(SignedWriteRequest.get(target(key)).with(fields));
    }

    default RawClient.Response head(String key, String... fields) throws IOException {
        return send(SignedWriteRequest.of("HEAD", target(key)).with(fields));
    }

    /** Stores the computed content of a name; it must succeed. */
    default byte[] stored(String key, String content, int size, String... fields) throws IOException {
        byte[] bytes = GeneratedBytes.of(content).first(size);
        RawClient.Response response =
                send(SignedWriteRequest.put(target(key), bytes).with(fields));
        assertThat(response.status()).as(response.text()).isEqualTo(200);
        return bytes;
    }

    /** The same, and read once and again, so that a cache holds it. */
    default byte[] storedAndRead(String key, String content, int size, String... fields) throws IOException {
        byte[] bytes = stored(key, content, size, fields);
        assertHolds(key, bytes);
        assertHolds(key, bytes);
        return bytes;
    }

    /** That all ways to read a key tell of these bytes. */
    default void assertHolds(String key, byte[] bytes) throws IOException {
        RawClient.Response get = get(key);
        RawClient.Response head = head(key);

        assertThat(get.status()).as(get.text()).isEqualTo(200);
        assertThat(get.bytes()).as("the content of %s", key).isEqualTo(bytes);
        assertThat(head.status()).isEqualTo(200);
        assertThat(head.headers()).containsEntry("content-length", Integer.toString(bytes.length));
        assertThat(head.headers().get("etag")).isEqualTo(get.headers().get("etag"));
    }

    /** That no way to read a key finds anything. */
    default void assertAbsent(String key) throws IOException {
        RawClient.Response get = get(key);

        assertThat(get.status()).as("%s: %.100s", key, get.text()).isEqualTo(404);
        assertThat(get.element("Code")).isEqualTo("NoSuchKey");
        assertThat(head(key).status()).isEqualTo(404);
        assertThat(sdk().listObjectsV2(list -> list.bucket(bucket()).prefix(key)).contents().stream()
                        .map(S3Object::key))
                .doesNotContain(key);
    }

    /** That an answer is S3's error. */
    static void assertError(RawClient.Response response, int status, String code) {
        assertThat(response.status()).as(response.text()).isEqualTo(status);
        assertThat(response.element("Code")).isEqualTo(code);
    }
}
