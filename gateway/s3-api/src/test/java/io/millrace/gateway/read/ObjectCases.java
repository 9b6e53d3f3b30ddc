package io.millrace.gateway.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.testkit.data.GeneratedBytes;
import io.millrace.gateway.testkit.RawClient;
import io.millrace.gateway.testkit.TestGateway;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import software.amazon.awssdk.core.ResponseBytes;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.s3.S3Configuration;
import software.amazon.awssdk.services.s3.model.GetObjectRequest;
import software.amazon.awssdk.services.s3.model.GetObjectResponse;
import software.amazon.awssdk.services.s3.model.HeadObjectResponse;
import software.amazon.awssdk.services.s3.presigner.S3Presigner;

/** Whole objects: the bytes, and what every answer says of them. */
interface ObjectCases extends EndpointReadCases {
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 1000, 65_536, 65_537, 3_000_000})
    default void wholeObjectIsBroughtByteForByte(int size) throws IOException {
        String key = "whole-" + size;
        seeded(key, size);

        ResponseBytes<GetObjectResponse> got =
                sdk().getObjectAsBytes(get -> get.bucket(bucket()).key(key));
        HeadObjectResponse head = sdk().headObject(ask -> ask.bucket(bucket()).key(key));

        assertThat(got.asByteArray()).isEqualTo(GeneratedBytes.of(key).first(size));
        assertThat(got.response().contentLength()).isEqualTo(size);
        assertThat(got.response().acceptRanges()).isEqualTo("bytes");
        assertThat(got.response().contentRange()).isNull();
        assertThat(head.contentLength()).isEqualTo(size);
        assertThat(head.eTag()).isNotBlank().isEqualTo(got.response().eTag());
        assertThat(head.lastModified()).isNotNull().isEqualTo(got.response().lastModified());
    }

    @Test
    default void headHasTheHeadersOfGet() throws IOException {
        String target = seeded("headed", 1234);

        RawClient.Response get = wire().get(target);

        assertThat(get.status()).isEqualTo(200);
        assertThat(get.headers()).containsEntry("content-length", "1234");
        assertHeadIsTheSame(get, target);
    }

    @Test
    default void overwrittenObjectIsReadAgain() throws IOException {
        String target = seeded("overwritten", 100);
        RawClient.Response before = wire().get(target);

        seeded("overwritten", 200);
        RawClient.Response after = wire().get(target);

        assertThat(after.bytes()).isEqualTo(GeneratedBytes.of("overwritten").first(200));
        assertThat(after.headers().get("etag")).isNotEqualTo(before.headers().get("etag"));
    }

    @Test
    default void virtualHostStyleReadsTheSame() throws IOException {
        String target = seeded("a dir/some key", 500);
        RawResponse byHost = wire().under(
                        bucket() + "." + TestGateway.DOMAIN + ":" + gateway().port());

        RawClient.Response byPath = wire().get(target);
        RawClient.Response response = byHost.get("/a%20dir/some%20key");
        RawClient.Response missing = byHost.get("/" + bucket() + "/a%20dir/some%20key");

        assertThat(response.status()).isEqualTo(200);
        assertThat(response.body()).isEqualTo(byPath.body());
        assertThat(EndpointReadCases.lasting(response)).isEqualTo(EndpointReadCases.lasting(byPath));
        assertThat(byHost.head("/a%20dir/some%20key").status()).isEqualTo(200);
        assertThat(missing.element("Code")).isEqualTo("NoSuchKey");
    }

    /** The JDK's client also offers to upgrade to HTTP/2, as it does to every server it does not know. */
    @Test
    default void servesPresignedUrlDespiteHttp2Upgrade() throws IOException, InterruptedException {
        seeded("pre signed/\u00E4", 700);
        URI url = presigned("pre signed/\u00E4");

        HttpResponse<byte[]> whole = HttpClient.newHttpClient()
                .send(HttpRequest.newBuilder(url).build(), HttpResponse.BodyHandlers.ofByteArray());
        HttpResponse<byte[]> part = HttpClient.newHttpClient()
                .send(
                        HttpRequest.newBuilder(url).header("Range", "bytes=5-9").build(),
                        HttpResponse.BodyHandlers.ofByteArray());

        assertThat(whole.statusCode()).isEqualTo(200);
        assertThat(whole.version()).isEqualTo(HttpClient.Version.HTTP_1_1);
        assertThat(whole.body())
                .isEqualTo(GeneratedBytes.of("pre signed/\u00E4").first(700));
        assertThat(part.statusCode()).isEqualTo(206);
        assertThat(part.body()).isEqualTo(GeneratedBytes.of("pre signed/\u00E4").slice(5, 5));
    }

    @Test
    default void ignoresHttp2UpgradeAndKeepsTheConnection() throws IOException {
        String target = seeded("upgrade", 40);
        String offer = wire().request(
                        "GET",
                        target,
                        "connection: Upgrade, HTTP2-Settings",
                        "upgrade: h2c",
                        "http2-settings: AAEAAEAAAAIAAAAB");

        try (RawClient client = new RawClient(gateway().port())) {
            for (int i = 0; i < 2; i++) {
                RawClient.Response response = client.send(offer);

                assertThat(response.status()).isEqualTo(200);
                assertThat(response.headers()).doesNotContainKey("upgrade");
                assertThat(response.bytes())
                        .isEqualTo(GeneratedBytes.of("upgrade").first(40));
            }
        }
    }

    @Test
    default void everyResponseHasACacheStatus() throws IOException {
        String target = seeded("status", 10);
        String tag = String.valueOf(wire().head(target).headers().get("etag"));

        assertTold(wire().get(target), 200);
        assertTold(wire().head(target), 200);
        assertTold(wire().get(target, "range: bytes=1-2"), 206);
        assertTold(wire().get(target, "if-none-match: " + tag), 304);
        assertTold(wire().get(target, "range: bytes=10-"), 416);
        assertTold(wire().get(target + "-missing"), 404);
        assertTold(wire().get("/" + bucket() + "?list-type=2"), 200);
    }

    private static void assertTold(RawClient.Response response, int status) {
        assertThat(response.status()).isEqualTo(status);
        assertThat(response.headers())
                .hasEntrySatisfying(
                        "cache-status",
                        reported ->
                                assertThat(reported).matches("millrace; (hit(; ttl=\\d+)?|fwd=(bypass|miss|stale).*)"));
    }

    private URI presigned(String key) {
        try (S3Presigner presigner = S3Presigner.builder()
                .endpointOverride(gateway().endpoint())
                .region(Region.US_EAST_1)
                .serviceConfiguration(
                        S3Configuration.builder().pathStyleAccessEnabled(true).build())
                .credentialsProvider(S3OriginFixture.credentials(TestGateway.ACCESS_KEY, TestGateway.SECRET_KEY))
                .build()) {
            return URI.create(presigner
                    .presignGetObject(presign -> presign.signatureDuration(Duration.ofMinutes(5))
                            .getObjectRequest(GetObjectRequest.builder()
                                    .bucket(bucket())
                                    .key(key)
                                    .build()))
                    .url()
                    .toString());
        }
    }
}
