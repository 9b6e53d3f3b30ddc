package io.millrace.gateway.write;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.gateway.objects.bucket.CorsSettings;
import io.millrace.gateway.testkit.RawClient;
import io.millrace.gateway.testkit.TestGateway;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What scripts of other origins may do in browsers: what a bucket's rules allow, and nothing where it has none. */
class CrossOriginTest extends FolderGatewayTest {
    @BeforeAll
    static void start() throws IOException {
        gateway = TestGateway.builder()
                .bucket("closed", origin.backend())
                .cors(
                        new CorsSettings(
                                List.of("https://lab.example.org", "https://*.apps.example.org"),
                                List.of("GET", "PUT", "POST"),
                                List.of("content-type", "x-amz-*"),
                                List.of("ETag", "x-amz-request-id"),
                                77),
                        new CorsSettings(List.of("*"), List.of("HEAD"), List.of(), List.of(), 5))
                .bucket("shared", origin.backend())
                .start();
        origin.createBucket("closed");
        origin.createBucket("shared");
        for (String bucket : List.of("closed", "shared")) {
            assertThat(send(SignedWriteRequest.put("/" + bucket + "/key", new byte[3]))
                            .status())
                    .isEqualTo(200);
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            /shared/key    | https://lab.example.org    | PUT    | content-type, X-Amz-Date | 200
            /shared/none   | https://lab.example.org    | GET    |                          | 200
            /shared        | https://lab.example.org    | POST   |                          | 200
            /shared/key    | https://a.apps.example.org | GET    |                          | 200
            /shared/key    | https://anybody.org        | HEAD   |                          | 200
            /shared/key    | https://anybody.org        | GET    |                          | 403
            /shared/key    | https://lab.example.org    | DELETE |                          | 403
            /shared/key    | https://lab.example.org    | PUT    | authorization            | 403
            /shared/key    | https://lab.example.org.evil.org | GET |                       | 403
            /shared/key    | http://lab.example.org     | GET    |                          | 403
            /shared/key    | https://anybody.org        | HEAD   | x-amz-date               | 403
            /closed/key    | https://lab.example.org    | GET    |                          | 403
            /no-bucket/key | https://lab.example.org    | GET    |                          | 403
            """)
    void preflightRequestGetsTheRules(String target, String from, String method, String headers, int status)
            throws IOException {
        SignedWriteRequest ask = SignedWriteRequest.of("OPTIONS", target)
                .anonymous()
                .with("Origin: " + from, "Access-Control-Request-Method: " + method);
        if (headers != null) {
            ask.with("Access-Control-Request-Headers: " + headers);
        }

        RawClient.Response response = send(ask);

        assertThat(response.status()).as(response.text()).isEqualTo(status);
        if (status == 200) {
            assertThat(response.headers().get("access-control-allow-origin")).isIn(from, "*");
            assertThat(response.headers().get("access-control-allow-methods")).contains(method);
            assertThat(response.headers()).containsKeys("vary", "access-control-max-age");
            if (headers != null) {
                assertThat(response.headers())
                        .containsEntry("access-control-allow-headers", headers.toLowerCase(Locale.ROOT));
            }
        } else {
            assertThat(response.headers()).doesNotContainKey("access-control-allow-origin");
        }
    }

    @Test
    void refusesPreflightWithoutRequestedMethod() throws IOException {
        assertThat(send(SignedWriteRequest.of("OPTIONS", "/shared/key").anonymous())
                        .status())
                .isEqualTo(400);
        assertThat(send(SignedWriteRequest.of("OPTIONS", "/shared/key")
                                .anonymous()
                                .with("Origin: https://lab.example.org"))
                        .status())
                .isEqualTo(400);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            /shared/key    |                         | GET   |               | 400 | Origin request header needed
            /shared/key    | https://lab.example.org | get   |               | 400 | Invalid Access-Control-Request-Method: get
            /shared/key    | https://lab.example.org | PATCH |               | 400 | Invalid Access-Control-Request-Method: PATCH
            /shared/key    | https://lab.example.org | PUT   | a,not a token | 400 | contains invalid character
            /shared/key    | https://anybody.org     | GET   |               | 403 | This CORS request is not allowed
            /closed/key    | https://lab.example.org | GET   |               | 403 | CORS is not enabled for this bucket
            /no-bucket/key | https://lab.example.org | GET   |               | 403 | CORS is not enabled for this bucket
            """)
    void preflightRefusalNamesTheReason(
            String target, String from, String method, String headers, int status, String why) throws IOException {
        SignedWriteRequest ask =
                SignedWriteRequest.of("OPTIONS", target).anonymous().with("Access-Control-Request-Method: " + method);
        ask.with("Origin: " + (from == null ? "" : from));
        if (headers != null) {
            ask.with("Access-Control-Request-Headers: " + headers);
        }

        RawClient.Response response = send(ask);

        assertThat(response.status()).as(response.text()).isEqualTo(status);
        assertThat(response.element("Message")).contains(why);
    }

    /** A browser asks with the query of the URL that it will use, whose signature is of another method. */
    @Test
    void aPresignedUrlIsRequestedAheadToo() throws IOException {
        String query =
                "?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=TESTKEY%2F20130524%2Fus-east-1%2Fs3%2Faws4_request"
                        + "&X-Amz-Date=20130524T000000Z&X-Amz-Expires=86400&X-Amz-SignedHeaders=host&X-Amz-Signature="
                        + "0".repeat(64);

        RawClient.Response response = send(SignedWriteRequest.of("OPTIONS", "/shared/key" + query)
                .anonymous()
                .with("Origin: https://lab.example.org", "Access-Control-Request-Method: PUT"));

        assertThat(response.status()).as(response.text()).isEqualTo(200);
        assertThat(send(SignedWriteRequest.get("/shared/key" + query).anonymous())
                        .status())
                .isEqualTo(403);
    }

    @Test
    void responseToAllowedOriginHasCorsHeaders() throws IOException {
        RawClient.Response read = send(SignedWriteRequest.get("/shared/key").with("Origin: https://lab.example.org"));
        assertThat(read.status()).isEqualTo(200);
        assertThat(read.headers())
                .containsEntry("access-control-allow-origin", "https://lab.example.org")
                .containsEntry("access-control-allow-credentials", "true")
                .containsEntry("access-control-expose-headers", "ETag, x-amz-request-id");
        assertThat(read.headers().get("vary")).contains("Origin");

        RawClient.Response written =
                send(SignedWriteRequest.put("/shared/by-script", new byte[1]).with("Origin: https://lab.example.org"));
        assertThat(written.headers()).containsEntry("access-control-allow-origin", "https://lab.example.org");
    }

    /** A script that cannot read why is a user who cannot either. */
    @Test
    void errorsAreShownToo() throws IOException {
        for (SignedWriteRequest ask : List.of(
                SignedWriteRequest.get("/shared/none"),
                SignedWriteRequest.get("/shared/key").anonymous(),
                SignedWriteRequest.get("/shared/key").by("TESTKEY", "wrong"),
                SignedWriteRequest.put("/shared/x", new byte[1]).with("Content-MD5: nonsense"))) {
            RawClient.Response response = send(ask.with("Origin: https://lab.example.org"));
            assertThat(response.status()).isGreaterThanOrEqualTo(400);
            assertThat(response.headers()).containsEntry("access-control-allow-origin", "https://lab.example.org");
        }
    }

    @Test
    void responseToOtherOriginsHasNoCorsHeaders() throws IOException {
        for (SignedWriteRequest ask : List.of(
                SignedWriteRequest.get("/shared/key").with("Origin: https://anybody.org"),
                SignedWriteRequest.get("/closed/key").with("Origin: https://lab.example.org"),
                SignedWriteRequest.get("/shared/key"))) {
            RawClient.Response response = send(ask);
            assertThat(response.status()).isEqualTo(200);
            assertThat(response.headers()).doesNotContainKey("access-control-allow-origin");
        }
    }

    /** An origin stands in an answer's field. */
    @Test
    void anOriginWithControlCharactersIsNoOrigin() throws IOException {
        RawClient.Response response = send(SignedWriteRequest.of("OPTIONS", "/shared/key")
                .anonymous()
                .with("Origin: https://a\u0001.apps.example.org", "Access-Control-Request-Method: GET"));

        assertThat(response.headers()).doesNotContainKey("access-control-allow-origin");
    }
}
