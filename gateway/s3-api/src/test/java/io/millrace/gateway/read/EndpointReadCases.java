package io.millrace.gateway.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.testkit.data.GeneratedBytes;
import io.millrace.gateway.testkit.RawClient;
import io.millrace.gateway.testkit.TestGateway;
import java.io.IOException;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.S3Exception;

/** What the cases share: the gateway in front of an origin, ways to ask it, and ways to put objects behind it. */
interface EndpointReadCases {
    /** Fields that differ from answer to answer. */
    Set<String> OF_THE_ANSWER = Set.of("date", "x-amz-request-id", "cache-status");

    OriginFixture origin();

    TestGateway gateway();

    /** The SDK's client, speaking to the gateway. */
    S3Client sdk();

    /** A bucket for objects that nobody lists. */
    String bucket();

    default RawResponse wire() {
        return new RawResponse(gateway().port(), gateway().signer());
    }

    default boolean has(OriginFixture.Trait trait) {
        return origin().traits().contains(trait);
    }

    /** Stores the computed content of a key; its target at the gateway. */
    default String seeded(String key, int size) throws IOException {
        put(bucket(), key, size);
        return RawResponse.path(bucket(), key);
    }

    /** A bucket of a case's own, with these keys in it, each its own content of a few bytes. */
    default String bucketOf(String... keys) throws IOException {
        return bucketOf(List.of(keys));
    }

    default String bucketOf(List<String> keys) throws IOException {
        String bucket = newBucket();
        for (String key : keys) {
            put(bucket, key, sizeOf(key));
        }
        return bucket;
    }

    default String newBucket() throws IOException {
        String bucket = "read-" + UUID.randomUUID();
        origin().createBucket(bucket);
        return bucket;
    }

    private void put(String bucket, String key, int size) throws IOException {
        origin().put(bucket, key, GeneratedBytes.of(key).first(size), HeaderList.EMPTY);
    }

    /**
     * The size of a key that {@link #bucketOf} stored; servers over folders take a slash at the end for one, which is
     * empty.
     */
    static int sizeOf(String key) {
        return key.endsWith("/") ? 0 : 10 + key.length() % 7;
    }

    /** That a HEAD is answered as a GET was, but for the bytes. */
    default void assertHeadIsTheSame(RawClient.Response get, String target, String... fields) throws IOException {
        RawClient.Response head = wire().head(target, fields);

        assertThat(head.status()).isEqualTo(get.status());
        assertThat(lasting(head)).isEqualTo(lasting(get));
        assertThat(head.body()).isEmpty();
    }

    /** The fields of an answer but those that differ each time. */
    static Map<String, String> lasting(RawClient.Response response) {
        Map<String, String> fields = new LinkedHashMap<>(response.headers());
        fields.keySet().removeAll(new HashSet<>(OF_THE_ANSWER));
        return fields;
    }

    /** That a call of the SDK fails so; the failure. */
    static S3Exception assertRefused(int status, String code, ThrowingCallable call) {
        S3Exception failure = catchThrowableOfType(S3Exception.class, call);
        assertThat(failure).as("a failure with status %d", status).isNotNull();
        assertThat(failure.statusCode()).isEqualTo(status);
        assertThat(failure.awsErrorDetails().errorCode()).isEqualTo(code);
        return failure;
    }

    /** That an answer is S3's error in full: XML that names the code, the resource and the request. */
    static void assertError(RawClient.Response response, int status, String code, String resource) {
        assertThat(response.status()).as(response.text()).isEqualTo(status);
        assertThat(response.headers()).containsEntry("content-type", "application/xml");
        assertThat(response.element("Code")).isEqualTo(code);
        assertThat(response.element("Message")).isNotBlank();
        assertThat(response.element("Resource")).isEqualTo(resource);
        assertThat(response.element("RequestId"))
                .isNotBlank()
                .isEqualTo(response.headers().get("x-amz-request-id"));
    }
}
