package io.millrace.gateway.app;

import static io.millrace.gateway.app.ApiServer.API;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.gateway.app.ApiServer.Caller;
import io.millrace.gateway.app.ApiServer.Response;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Tests what the rights view, operate and admin on every bucket allow in the control API, and that none gives an
 * object's bytes.
 */
@Timeout(120)
class ApiRightsTest {
    private static final Caller VIEWER = new Caller("VIEWER1");
    private static final Caller OPERATOR = new Caller("OPERAT1");
    /** An administrator who is denied the objects of the bucket. */
    private static final Caller GUARDED = new Caller("GUARDED1");

    private static final List<Caller> CALLERS = List.of(ApiServer.ALICE, VIEWER, OPERATOR, ApiServer.ADMIN);

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private static Path folder;

    @SuppressWarnings("NullAway.Init")
    private static ApiServer server;

    @BeforeAll
    static void start() throws Exception {
        Path denials = Files.writeString(folder.resolve("denials.json"), """
                { "Version": "2012-10-17", "Statement": { "Effect": "Deny", "Resource": "arn:aws:s3:::data*",
                  "Action": [ "s3:ListBucket", "s3:GetObject", "s3:PutObject" ] } }
                """);
        server = ApiServer.start(
                folder, "{ name: data, backend: local, freshness: { mode: immutable } }", """
                - { name: viewer, access-key: VIEWER1, secret-key: VIEWER1-secret, allow: [ "view:*" ] }
                - { name: operator, access-key: OPERAT1, secret-key: OPERAT1-secret, allow: [ "operate:*" ] }
                - { name: guarded, access-key: GUARDED1, secret-key: GUARDED1-secret, allow: "*", policies: [ "%s" ] }
                """.formatted(denials));
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    /**
     * The status of each request, sent by one who may only read and list the bucket, a viewer, an operator and an
     * administrator.
     */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "GET | /status | | 403 200 200 200",
                "GET | /traffic | | 403 200 200 200",
                "GET | /traffic/breakdown?by=bucket | | 403 200 200 200",
                "GET | /traffic/errors | | 403 200 200 200",
                "GET | /disks | | 403 200 200 200",
                "GET | /backends | | 403 200 200 200",
                "GET | /errors | | 403 200 200 200",
                "GET | /alarms | | 403 200 200 200",
                "POST | /alarms/acknowledgements | {\"id\":\"metadata-store\",\"since\":\"2026-01-01T00:00:00Z\"} | 403"
                        + " 403 404 404",
                "GET | /buckets | | 200 200 200 200",
                "GET | /jobs | | 200 200 200 200",
                "GET | /residency?bucket=data | | 200 200 200 200",
                "GET | /explain?bucket=data&key=o-01 | | 200 200 200 200",
                "POST | /invalidations | {\"bucket\":\"data\"} | 403 403 204 204",
                "POST | /invalidations | {\"bucket\":\"data\",\"key\":\"o-01\"} | 403 403 204 204",
                "POST | /jobs | {\"kind\":\"prefetch\",\"from\":{\"bucket\":\"data\",\"prefix\":\"o-0\"}} | 201 403 201"
                        + " 201",
                "POST | /jobs | {\"kind\":\"evict\",\"from\":{\"bucket\":\"data\",\"keys\":[\"o-02\"]}} | 403 403 201"
                        + " 201",
                "POST | /jobs | {\"kind\":\"verify\",\"from\":{\"bucket\":\"data\"}} | 403 403 201 201",
                "POST | /jobs | {\"kind\":\"copy\",\"from\":{\"bucket\":\"data\",\"keys\":[\"o-01\"]},"
                        + "\"to\":{\"bucket\":\"data\",\"prefix\":\"c/\"}} | 403 403 403 201",
                "POST | /disks/0/scrub | | 403 403 202 409",
                "GET | /identities | | 403 403 403 200",
                "GET | /settings | | 403 403 403 200",
                "GET | /revocations | | 403 403 403 200",
                "POST | /revocations | {\"target\":\"session\",\"name\":\"nobody\"} | 403 403 403 200",
            })
    void requestNeedsItsRight(String method, String path, String body, String statuses) throws Exception {
        int[] expected = List.of(statuses.split(" ")).stream()
                .mapToInt(Integer::parseInt)
                .toArray();
        for (int i = 0; i < expected.length; i++) {
            Response response = server.send(CALLERS.get(i), method, API + path, body == null ? "" : body);
            // A scrub may be under way when the next is to start.
            boolean isScrub = path.endsWith("scrub") && expected[i] != 403;
            assertThat(response.status())
                    .as("%s by %s: %s", path, CALLERS.get(i), response.text())
                    .isIn(isScrub ? List.of(202, 409) : List.of(expected[i]));
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "GET | /residency?bucket=data | ",
                "GET | /explain?bucket=data&key=o-01 | ",
                "POST | /invalidations | {\"bucket\":\"data\"}",
                "POST | /invalidations | {\"bucket\":\"data\",\"key\":\"o-01\"}",
                "POST | /jobs | {\"kind\":\"prefetch\",\"from\":{\"bucket\":\"data\",\"prefix\":\"o-0\"}}",
                "POST | /jobs | {\"kind\":\"evict\",\"from\":{\"bucket\":\"data\",\"keys\":[\"o-02\"]}}",
            })
    void rightsOnABucketDoNotGetAroundADenial(String method, String path, String body) throws Exception {
        Response response = server.send(GUARDED, method, API + path, body == null ? "" : body);

        assertThat(response.status()).as(response.text()).isEqualTo(403);
    }

    @Test
    void viewerSeesTheJobsOfOthersAndChangesNone() throws Exception {
        Response job = server.post(
                ApiServer.ALICE,
                API + "/jobs",
                "{\"kind\":\"prefetch\",\"from\":{\"bucket\":\"data\"},\"dryRun\":true}");
        String path = API + "/jobs/" + job.field("id");
        server.awaitEnd(job.field("id"));

        assertThat(server.get(VIEWER, path).status()).isEqualTo(200);
        assertThat(server.get(ApiServer.BOB, path).status()).isEqualTo(404);
        Response refused = server.send(VIEWER, "DELETE", path, "");
        assertThat(refused.status()).as(refused.text()).isEqualTo(403);
        assertThat(refused.field("detail")).contains("right operate");
        assertThat(server.send(OPERATOR, "DELETE", path, "").status()).isEqualTo(204);
    }

    @Test
    void callerSeesItsRights() throws Exception {
        assertThat(rights(ApiServer.ALICE)).isEqualTo("[]");
        assertThat(rights(VIEWER)).isEqualTo("[\"view\"]");
        assertThat(rights(OPERATOR)).isEqualTo("[\"view\",\"operate\"]");
        assertThat(rights(ApiServer.ADMIN)).contains("\"view\",\"operate\",\"admin\"");
        assertThat(server.get(OPERATOR, API + "/whoami").json().path("operator").asBoolean())
                .isFalse();
        assertThat(server.get(ApiServer.ADMIN, API + "/whoami")
                        .json()
                        .path("operator")
                        .asBoolean())
                .isTrue();
    }

    private static String rights(Caller caller) throws Exception {
        return server.get(caller, API + "/whoami").json().path("rights").toString();
    }
}
