package io.millrace.backend.s3;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.AwsSessionCredentials;
import software.amazon.awssdk.http.SdkHttpMethod;
import software.amazon.awssdk.http.SdkHttpRequest;
import software.amazon.awssdk.http.auth.aws.signer.AwsV4HttpSigner;
import software.amazon.awssdk.identity.spi.AwsCredentialsIdentity;

/** Tests that a signature differs from the SDK's only by the content hash. */
class AwsChunkedRequestSignerTest {
    private static final AwsV4HttpSigner SIGNER = AwsV4HttpSigner.create();
    private static final AwsCredentialsIdentity KEY = AwsBasicCredentials.create("access", "secret/+ key");

    static Stream<SdkHttpRequest> requests() {
        return Stream.of(
                signed(KEY, put("/bucket/key")),
                signed(KEY, put("/bucket/a//b%20%25%C3%BC/../c")),
                signed(KEY, put("/")),
                signed(KEY, put("/bucket/key").method(SdkHttpMethod.POST).port(9000)),
                signed(
                        KEY,
                        put("/bucket/key")
                                .putRawQueryParameter("uploadId", "a b+c/~*=&\u00FC")
                                .putRawQueryParameter("partNumber", "17")
                                .putRawQueryParameter("part", "1")
                                .putRawQueryParameter("part-x", "2")
                                .appendRawQueryParameter("acl", null)),
                signed(
                        KEY,
                        put("/bucket/key")
                                .putHeader("x-amz-meta-text", "  two \t  words gr\u00FCn ")
                                .putHeader("Content-Type", "text/plain;  charset=utf-8")
                                .putHeader("content-encoding", "gzip")
                                .appendHeader("x-amz-meta-many", "1")
                                .appendHeader("x-amz-meta-many", "2")),
                signed(AwsSessionCredentials.create("access", "secret", "token/+="), put("/bucket/key")));
    }

    @ParameterizedTest
    @MethodSource("requests")
    void underTheSameWordItIsTheSdks(SdkHttpRequest signed) {
        SdkHttpRequest again = AwsChunkedRequestSigner.resign(signed, "UNSIGNED-PAYLOAD", secretOf(signed));

        assertThat(again.headers()).isEqualTo(signed.headers());
    }

    @Test
    void underAnotherItIsAnother() {
        SdkHttpRequest signed = signed(KEY, put("/bucket/key"));

        SdkHttpRequest chunks =
                AwsChunkedRequestSigner.resign(signed, AwsChunkedRequestSigner.UNSIGNED_CHUNKS, "secret/+ key");

        assertThat(chunks.firstMatchingHeader("x-amz-content-sha256")).contains("STREAMING-UNSIGNED-PAYLOAD-TRAILER");
        assertThat(chunks.firstMatchingHeader("authorization"))
                .isNotEqualTo(signed.firstMatchingHeader("authorization"));
    }

    private static String secretOf(SdkHttpRequest signed) {
        return signed.firstMatchingHeader("x-amz-security-token").isPresent() ? "secret" : "secret/+ key";
    }

    private static SdkHttpRequest.Builder put(String path) {
        return SdkHttpRequest.builder()
                .method(SdkHttpMethod.PUT)
                .protocol("http")
                .host("s3.example.org")
                .encodedPath(path)
                .putHeader("content-length", "10");
    }

    private static SdkHttpRequest signed(AwsCredentialsIdentity identity, SdkHttpRequest.Builder request) {
        return SIGNER.sign(sign -> sign.identity(identity)
                        .request(request.build())
                        .putProperty(AwsV4HttpSigner.SERVICE_SIGNING_NAME, "s3")
                        .putProperty(AwsV4HttpSigner.REGION_NAME, "eu-north-1")
                        .putProperty(AwsV4HttpSigner.DOUBLE_URL_ENCODE, false)
                        .putProperty(AwsV4HttpSigner.NORMALIZE_PATH, false)
                        .putProperty(AwsV4HttpSigner.PAYLOAD_SIGNING_ENABLED, false))
                .request();
    }
}
