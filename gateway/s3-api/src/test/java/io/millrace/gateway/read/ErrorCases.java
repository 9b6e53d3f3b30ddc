package io.millrace.gateway.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.millrace.gateway.testkit.RawClient;
import java.io.IOException;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.services.s3.model.NoSuchKeyException;

/** What is not there: S3's code, the resource and the request's id, and a connection that goes on. */
interface ErrorCases extends EndpointReadCases {
    @Test
    default void missingKeyIsNoSuchKey() throws IOException {
        String target = RawResponse.path(bucket(), "not there/<\u00E9>");

        RawClient.Response response = wire().get(target);
        RawClient.Response head = wire().head(target);

        EndpointReadCases.assertError(response, 404, "NoSuchKey", "/" + bucket() + "/not there/&lt;\u00E9&gt;");
        assertThat(head.status()).isEqualTo(404);
        assertThat(head.body()).isEmpty();
        assertThat(head.headers().get("x-amz-request-id")).isNotBlank().isNotEqualTo(response.element("RequestId"));
        assertThat(catchThrowable(
                        () -> sdk().getObjectAsBytes(get -> get.bucket(bucket()).key("not there"))))
                .isInstanceOf(NoSuchKeyException.class);
    }

    @Test
    default void keysBesideAnExistingOneAreMissing() throws IOException {
        seeded("beside/one", 10);

        Stream<String> exact = has(OriginFixture.Trait.ANY_NAME) ? Stream.of("beside/", "beside/one/") : Stream.empty();
        for (String key : Stream.concat(exact, Stream.of("beside", "beside/on", "beside/one/x", "Beside/one"))
                .toList()) {
            assertThat(wire().get(RawResponse.path(bucket(), key)).element("Code"))
                    .as(key)
                    .isEqualTo("NoSuchKey");
        }
    }

    @Test
    default void missingBucketIsNoSuchBucket() throws IOException {
        assertNoSuchBucket("/read-no-such-bucket/key", "/read-no-such-bucket/key");
        assertNoSuchBucket("/read-no-such-bucket?list-type=2", "/read-no-such-bucket");
        assertNoSuchBucket("/read-no-such-bucket", "/read-no-such-bucket");
        assertNoSuchBucket("/read-no-such-bucket?location", "/read-no-such-bucket");
        assertThat(wire().head("/read-no-such-bucket").status()).isEqualTo(404);
        assertThat(wire().head("/read-no-such-bucket/key").status()).isEqualTo(404);
    }

    @Test
    default void missingBucketIsNoSuchBucketInChecksumMode() throws IOException {
        String target = "/read-no-such-bucket/with-checksums";

        for (int i = 0; i < 2; i++) {
            EndpointReadCases.assertError(
                    wire().get(target, "x-amz-checksum-mode: ENABLED"), 404, "NoSuchBucket", target);
        }
        EndpointReadCases.assertError(
                wire().get("/" + bucket() + "/none", "x-amz-checksum-mode: ENABLED"),
                404,
                "NoSuchKey",
                "/" + bucket() + "/none");
    }

    @Test
    default void errorsKeepTheConnection() throws IOException {
        String target = seeded("after-errors", 10);
        try (RawClient client = new RawClient(gateway().port())) {
            for (int i = 0; i < 3; i++) {
                assertThat(client.send(wire().request("GET", target + "-not")).status())
                        .isEqualTo(404);
                assertThat(client.send(wire().request("HEAD", target + "-not")).status())
                        .isEqualTo(404);
                assertThat(client.send(wire().request("GET", target, "range: bytes=10-"))
                                .status())
                        .isEqualTo(416);
                assertThat(client.send(wire().request("HEAD", target, "if-match: \"a\""))
                                .status())
                        .isEqualTo(412);
                assertThat(client.send(wire().request("GET", target)).status()).isEqualTo(200);
            }
        }
    }

    private void assertNoSuchBucket(String target, String resource) throws IOException {
        EndpointReadCases.assertError(wire().get(target), 404, "NoSuchBucket", resource);
    }
}
