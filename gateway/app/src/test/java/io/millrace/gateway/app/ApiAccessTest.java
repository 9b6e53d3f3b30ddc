package io.millrace.gateway.app;

import static io.millrace.gateway.app.ApiServer.API;
import static io.millrace.gateway.app.ApiServer.hash;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.auth.PayloadType;
import io.millrace.auth.session.BearerTokens;
import io.millrace.auth.signature.RequestSigner;
import io.millrace.gateway.app.ApiServer.Caller;
import io.millrace.gateway.app.ApiServer.Response;
import io.millrace.gateway.testkit.RawClient;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that every path below {@code /api} requires authentication, however it is spelled. */
class ApiAccessTest extends ApiServerTest {
    private static final String PREFETCH = "{\"kind\":\"prefetch\",\"from\":{\"bucket\":\"data\"}}";

    @ParameterizedTest
    @CsvSource({
        "GET, /api/v1/jobs",
        "POST, /api/v1/jobs",
        "DELETE, /api/v1/jobs/x",
        "GET, /api/v1/jobs/x/failures",
        "GET, /api/v1/status",
        "GET, /api/v1/buckets",
        "GET, /api/v1/whoami",
        "GET, /api/v1/traffic",
        "GET, /api/v1/backends",
        "GET, /api/v1/errors",
        "GET, /api/v1/explain",
        "GET, /api/v1/residency",
        "POST, /api/v1/invalidations",
        "POST, /api/v1/notifications",
        "GET, /api/v1/revocations",
        "POST, /api/v1/revocations",
        "DELETE, /api/v1/revocations",
        "GET, /api/v1/nothing",
        "GET, /api/v1",
        "GET, /api",
        "GET, /api/",
        "POST, /api/v1/openapi.json",
        "GET, /api/v1/openapi.json/",
        "OPTIONS, /api/v1/jobs",
        "HEAD, /api/v1/jobs"
    })
    void refusesUnauthenticatedRequests(String method, String path) throws Exception {
        Response response = ApiServer.send(server.request(method, path, "", Map.of()));

        assertThat(response.status()).isEqualTo(401);
        assertThat(response.type()).isEqualTo("application/problem+json");
        assertThat(response.raw().headers().firstValue("www-authenticate")).hasValue("Bearer");
        if (!method.equals("HEAD")) {
            assertThat(response.field("title")).isEqualTo("Unauthorized");
            assertThat(response.json().path("status").asInt()).isEqualTo(401);
            assertThat(response.field("detail")).contains("Sign");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/%61pi/v1/jobs",
                "/api%2Fv1/jobs",
                "/api/v1/%6Aobs",
                "/api;a=b/v1/jobs",
                "/api/v1;a/jobs",
                "/api/v1/jobs;a=b",
                "/api/v1/jobs;",
                "//api/v1/jobs",
                "/api//v1/jobs",
                "/api/v1//jobs",
                "/./api/v1/jobs",
                "/x/../api/v1/jobs",
                "/API/v1/jobs",
                "/api/v1/jobs%00",
                "/api/v1/j\u00f6bs",
                "/%2e/api/v1/jobs"
            })
    void noSpellingOfAPathGetsAround(String path) throws Exception {
        RawClient.Response response =
                RawClient.ask(server.port(), "GET " + path + " HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n");

        assertThat(response.status()).isIn(400, 401, 404);
        assertThat(response.text()).doesNotContain("\"jobs\"");
    }

    @Test
    void healthMetricsAndOpenApiNeedNoAuthentication() throws Exception {
        for (String path : new String[] {"/live", "/health", "/ready", "/metrics", "/api/v1/openapi.json"}) {
            for (String method : new String[] {"GET", "HEAD"}) {
                assertThat(ApiServer.send(server.request(method, path, "", Map.of()))
                                .status())
                        .as("%s %s", method, path)
                        .isEqualTo(200);
            }
        }
    }

    @Test
    void aSignatureOrATokenReportsWhoRequests() throws Exception {
        assertThat(server.get(ApiServer.ALICE, API + "/jobs?limit=5&before=zz%2F%20")
                        .status())
                .isEqualTo(200);
        for (String scheme : new String[] {"Bearer ", "bearer  "}) {
            assertThat(bearer("GET", "/jobs", "", scheme + ApiServer.ALICE.token())
                            .status())
                    .isEqualTo(200);
        }
    }

    @Test
    void refusesSignatureOfAnotherRequest() throws Exception {
        Map<String, String> headers = server.signature(ApiServer.ALICE, "GET", server.uri(API + "/jobs"), hash(""));

        assertThat(ApiServer.send(server.request("GET", API + "/buckets", "", headers))
                        .status())
                .isEqualTo(401);
        assertThat(ApiServer.send(server.request("GET", API + "/jobs?limit=1", "", headers))
                        .status())
                .isEqualTo(401);
        assertThat(ApiServer.send(server.request("POST", API + "/jobs", "", headers))
                        .status())
                .isEqualTo(401);
    }

    @Test
    void wrongKeysAreSentAway() throws Exception {
        Response stranger = server.get(new Caller("NOBODY1"), API + "/jobs");

        assertThat(stranger.status()).isEqualTo(401);
        assertThat(stranger.field("detail")).startsWith("InvalidAccessKeyId");
        assertThat(bearer("GET", "/jobs", "", "Bearer " + new Caller("NOBODY1").token())
                        .status())
                .isEqualTo(401);
    }

    @Test
    void refusalNamesTheFaultOfAToken() throws Exception {
        String old = BearerTokens.make(
                "ALICE01",
                ApiServer.ALICE.secret(),
                Duration.ofHours(1),
                Instant.now().minus(Duration.ofHours(2)));
        Response expired = bearer("GET", "/jobs", "", "Bearer " + old);

        assertThat(expired.status()).isEqualTo(401);
        assertThat(expired.field("detail")).contains("expired");
        assertThat(expired.raw().headers().firstValue("www-authenticate")).hasValue("Bearer error=\"invalid_token\"");
        for (String odd : new String[] {
            "Bearer x", "Bearer ", "Bearer", "Basic YTpi", "a".repeat(5000), "Bearer " + "a".repeat(5000)
        }) {
            assertThat(bearer("GET", "/jobs", "", odd).status()).as(odd).isIn(400, 401);
        }
    }

    @Test
    void aPresignedUrlIsGoodForObjectsOnly() throws Exception {
        URI link = new RequestSigner("ALICE01", ApiServer.ALICE.secret(), "anywhere")
                .presign(server.uri(API + "/jobs"), "GET", Duration.ofHours(1), Instant.now());

        assertThat(ApiServer.send(server.request("GET", link.getRawPath() + "?" + link.getRawQuery(), "", Map.of()))
                        .status())
                .isEqualTo(401);
    }

    @Test
    void theBodyIsTheOneThatWasSigned() throws Exception {
        assertThat(submit(hash(PREFETCH), PREFETCH).status()).isEqualTo(201);
        assertThat(submit(hash(PREFETCH), PREFETCH.replace("data", "othr")).field("detail"))
                .contains("x-amz-content-sha256");
        assertThat(submit(hash(PREFETCH), "").status()).isEqualTo(400);
        assertThat(submit(hash(""), PREFETCH).status()).isEqualTo(400);
    }

    @Test
    void aBodyThatNoSignatureCoversIsRefused() throws Exception {
        for (PayloadType form : new PayloadType[] {
            PayloadType.UNSIGNED,
            PayloadType.UNSTATED,
            new PayloadType.SignedChunks(false),
            new PayloadType.SignedChunks(true),
            new PayloadType.UnsignedChunksWithTrailer()
        }) {
            Response response = submit(form, PREFETCH);
            assertThat(response.status()).as(form.text()).isEqualTo(400);
            assertThat(response.field("detail")).contains("SHA-256");
        }
    }

    @Test
    void aRequestWithoutABodyNeedsNoHash() throws Exception {
        for (PayloadType form : new PayloadType[] {PayloadType.UNSIGNED, PayloadType.UNSTATED}) {
            Map<String, String> headers = server.signature(ApiServer.ALICE, "GET", server.uri(API + "/jobs"), form);
            assertThat(ApiServer.send(server.request("GET", API + "/jobs", "", headers))
                            .status())
                    .isEqualTo(200);
        }
    }

    @Test
    void aLongBodyIsRefused() throws Exception {
        String longest = PREFETCH + " ".repeat(1024 * 1024 - PREFETCH.length());

        assertThat(submit(hash(longest), longest).status()).isEqualTo(201);
        assertThat(submit(hash(longest + " "), longest + " ").status()).isEqualTo(413);
    }

    @Test
    void aLongBodyOfUnknownLengthIsRefused() throws Exception {
        String chunk = "100000\r\n" + " ".repeat(0x100000) + "\r\n";
        String head = ("POST /api/v1/jobs HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nTransfer-Encoding:"
                        + " chunked\r\n\r\n")
                .formatted(ApiServer.ALICE.token());

        assertThat(RawClient.ask(server.port(), head + chunk + "1\r\n \r\n0\r\n\r\n")
                        .status())
                .isEqualTo(413);
    }

    private static Response submit(PayloadType form, String body) throws Exception {
        Map<String, String> headers = server.signature(ApiServer.ALICE, "POST", server.uri(API + "/jobs"), form);
        return ApiServer.send(server.request("POST", API + "/jobs", body, headers));
    }

    private static Response bearer(String method, String path, String body, String authorization) throws Exception {
        return ApiServer.send(
                server.request(method, API + path, body, new HashMap<>(Map.of("authorization", authorization))));
    }
}
