package io.millrace.gateway.app;

import static io.millrace.gateway.app.ApiServer.ADMIN;
import static io.millrace.gateway.app.ApiServer.ALICE;
import static io.millrace.gateway.app.ApiServer.API;
import static io.millrace.gateway.app.ApiServer.KEEPER;
import static io.millrace.gateway.app.ApiServer.WRITER;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.gateway.app.ApiServer.Caller;
import io.millrace.gateway.app.ApiServer.Response;
import java.net.URI;
import java.net.http.HttpRequest;
import java.nio.file.Files;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.JsonNode;

/** Tests that errors of the API name the wrong field, and the smaller parts of the API. */
class ApiRequestsTest extends ApiServerTest {
    static Stream<Arguments> wrongJobs() {
        return Stream.of(
                // what is no JSON
                Arguments.of("", ""),
                Arguments.of("{", ""),
                Arguments.of("nonsense", ""),
                Arguments.of("{} {}", ""),
                Arguments.of("{'kind':'prefetch'}", ""),
                Arguments.of("null", ""),
                Arguments.of("[]", ""),
                Arguments.of("7", ""),
                Arguments.of("\"prefetch\"", ""),
                Arguments.of("[".repeat(100_000), ""),
                Arguments.of("{\"from\":".repeat(100_000), "*"),
                Arguments.of("{\"workers\":" + "9".repeat(100_000) + "}", "*"),
                Arguments.of("\u0000", ""),
                Arguments.of("{\"kind\":\"prefetch\",\"kind\":\"copy\"}", "*"),
                // fields that are none, or of another type
                Arguments.of("{\"knd\":\"prefetch\"}", "knd"),
                Arguments.of("{\"from\":{\"bukket\":\"data\"}}", "from.bukket"),
                Arguments.of("{\"" + "x".repeat(10_000) + "\":1}", "x".repeat(100) + "..."),
                Arguments.of("{\"kind\":7}", "kind"),
                Arguments.of("{\"kind\":true}", "kind"),
                Arguments.of("{\"kind\":[\"prefetch\"]}", "kind"),
                Arguments.of("{\"from\":\"data\"}", "from"),
                Arguments.of("{\"from\":\"\"}", "from"),
                Arguments.of("{\"from\":[]}", "from"),
                Arguments.of("{\"from\":{\"keys\":\"a\"}}", "from.keys"),
                Arguments.of("{\"from\":{\"keys\":[\"a\",7]}}", "from.keys[1]"),
                Arguments.of("{\"from\":{\"keys\":[\"a\",null]}}", "from.keys[1]"),
                Arguments.of("{\"from\":{\"keys\":[[\"a\"]]}}", ""),
                Arguments.of("{\"from\":{\"minSize\":1024}}", "from.minSize"),
                Arguments.of("{\"workers\":\"16\"}", "workers"),
                Arguments.of("{\"workers\":1.5}", "workers"),
                Arguments.of("{\"workers\":99999999999}", "workers"),
                Arguments.of("{\"workers\":true}", "workers"),
                Arguments.of("{\"dryRun\":\"true\"}", "dryRun"),
                Arguments.of("{\"dryRun\":1}", "dryRun"),
                // what the job cannot be
                Arguments.of("{}", "kind"),
                Arguments.of("{\"kind\":\"fetch\"}", "kind"),
                Arguments.of("{\"kind\":null}", "kind"),
                Arguments.of(job(""), "from.bucket"),
                Arguments.of("{\"kind\":\"prefetch\"}", "from"),
                Arguments.of(job("'bucket':'no bucket'"), "from.bucket"),
                Arguments.of(job("'bucket':'nothing'"), "from.bucket"),
                Arguments.of(job("'bucket':'data','keys':[]"), "from.keys"),
                Arguments.of(job("'bucket':'data','keys':['']"), "from.keys"),
                Arguments.of(job("'bucket':'data','keys':['" + "k".repeat(1025) + "']"), "from.keys"),
                Arguments.of(job("'bucket':'data','keys':['a'],'prefix':'p'"), "from.prefix"),
                Arguments.of(job("'bucket':'data','keys':['a'],'template':'t{0..1}'"), "from.keys"),
                Arguments.of(job("'bucket':'data','template':'t{9..1}'"), "from.template"),
                Arguments.of(job("'bucket':'data','manifest':''"), "from.manifest"),
                Arguments.of(job("'bucket':'data','regex':'('"), "from.regex"),
                Arguments.of(job("'bucket':'data','glob':'[a'"), "from.glob"),
                Arguments.of(job("'bucket':'data','minSize':'many'"), "from.minSize"),
                Arguments.of(job("'bucket':'data','maxSize':'99999999999PiB'"), "from.maxSize"),
                Arguments.of(job("'bucket':'data','newerThan':'yesterday'"), "from.newerThan"),
                Arguments.of(job("'bucket':'data','olderThan':'P99999999999999999999D'"), "from.olderThan"),
                Arguments.of(job("'bucket':'data','template':'t{0..1}','minSize':'1MiB'"), "from"),
                Arguments.of(job("'bucket':'data'},'to':{'bucket':'data'"), "to"),
                Arguments.of(job("'bucket':'data'},'range':'bytes=9-1','to':{"), "*"),
                Arguments.of(with("'workers':0"), "workers"),
                Arguments.of(with("'workers':257"), "workers"),
                Arguments.of(with("'attempts':-1"), "attempts"),
                Arguments.of(with("'requestsPerSecond':0"), "requestsPerSecond"),
                Arguments.of(with("'bandwidth':'0'"), "bandwidth"),
                Arguments.of(with("'bandwidth':'fast'"), "bandwidth"),
                Arguments.of(with("'range':'bytes=9-1'"), "range"),
                Arguments.of(with("'overwrite':'always'"), "overwrite"),
                Arguments.of(with("'deleteExtra':true"), "deleteExtra"),
                Arguments.of(with("'clientToken':''"), "clientToken"),
                Arguments.of(with("'clientToken':'" + "t".repeat(201) + "'"), "clientToken"));
    }

    /** {@code field} is empty if none is told, and a star if any may be. */
    @ParameterizedTest
    @MethodSource("wrongJobs")
    void aWrongJobIsReportedByItsField(String body, String field) throws Exception {
        Response response = server.post(ADMIN, API + "/jobs", body.isEmpty() ? " " : body);

        assertThat(response.status()).as(response.text()).isEqualTo(400);
        assertThat(response.type()).isEqualTo("application/problem+json");
        assertThat(response.field("title")).isEqualTo("Bad Request");
        assertThat(response.field("detail")).isNotEmpty().doesNotContain("java.", "io.millrace", "tools.", "Exception");
        if (!field.equals("*")) {
            assertThat(response.field("field")).as(response.text()).isEqualTo(field);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "GET, /jobs?limit=0, 400, limit",
        "GET, /jobs?limit=1001, 400, limit",
        "GET, /jobs?limit=-1, 400, limit",
        "GET, /jobs?limit=many, 400, limit",
        "GET, /jobs?limit=99999999999, 400, limit",
        "GET, /jobs/x, 404, ''",
        "GET, /jobs/x/failures?after=-1, 400, after",
        "GET, /jobs/x/failures?after=x, 400, after",
        "GET, /jobs/x/failures, 404, ''",
        "GET, /jobs/x/nothing, 404, ''",
        "GET, /jobs/, 404, ''",
        "GET, /nothing, 404, ''",
        "GET, '', 404, ''",
        "PUT, /jobs, 405, ''",
        "DELETE, /jobs, 405, ''",
        "POST, /jobs/x, 405, ''",
        "GET, /jobs/x/pause, 405, ''",
        "POST, /jobs/x/failures, 405, ''",
        "POST, /status, 405, ''",
        "GET, /invalidations, 405, ''",
        "GET, /notifications, 405, ''",
        "PROPFIND, /jobs, 405, ''",
        "POST, /jobs/x/stop, 404, ''"
    })
    void aWrongRequestIsAProblem(String method, String path, int status, String field) throws Exception {
        Response response = server.send(ADMIN, method, API + path, "");

        assertThat(response.status()).as(response.text()).isEqualTo(status);
        assertThat(response.type()).isEqualTo("application/problem+json");
        assertThat(response.json().path("status").asInt()).isEqualTo(status);
        assertThat(response.field("field")).isEqualTo(field);
        if (status == 405) {
            assertThat(response.raw().headers().firstValue("allow")).isPresent();
        }
    }

    @Test
    void anotherContentTypeIsAProblem() throws Exception {
        for (String type : new String[] {"application/x-www-form-urlencoded", "text/plain", "nonsense"}) {
            Map<String, String> headers = new HashMap<>(Map.of("content-type", type));
            headers.put("authorization", "Bearer " + ALICE.token());
            Response response = ApiServer.send(server.request("POST", API + "/jobs", "{}", headers));

            assertThat(response.status()).as(type).isEqualTo(415);
            assertThat(response.type()).isEqualTo("application/problem+json");
        }
    }

    @Test
    void anAcceptThatCannotBeIsAProblem() throws Exception {
        Map<String, String> headers = Map.of("accept", "image/png", "authorization", "Bearer " + ALICE.token());
        Response response = ApiServer.send(server.request("GET", API + "/jobs", "", headers));

        assertThat(response.status()).isEqualTo(406);
        assertThat(response.type()).isEqualTo("application/problem+json");
    }

    @Test
    void unknownPathOutsideTheApiIsAProblem() throws Exception {
        Response response = ApiServer.send(server.request("GET", "/nothing", "", Map.of()));

        assertThat(response.status()).isEqualTo(404);
        assertThat(response.type()).isEqualTo("application/problem+json");
    }

    @Test
    void residencyNeedsTheListRight() throws Exception {
        String job = server.post(
                        ADMIN,
                        API + "/jobs",
                        "{\"kind\":\"prefetch\",\"from\":{\"bucket\":\"data\",\"keys\":[\"o-00\",\"o-01\"]}}")
                .field("id");
        server.awaitEnd(job);

        JsonNode reported =
                server.get(ADMIN, API + "/residency?bucket=data&prefix=o-").json();

        assertThat(reported.path("objects").asInt()).isGreaterThanOrEqualTo(2);
        assertThat(reported.path("cachedBytes").asLong())
                .isPositive()
                .isLessThanOrEqualTo(reported.path("bytes").asLong());
        assertThat(server.get(WRITER, API + "/residency?bucket=data&prefix=o-").status())
                .isEqualTo(403);
        assertThat(server.get(ADMIN, API + "/residency?prefix=o-").status()).isEqualTo(400);
        assertThat(server.get(ADMIN, API + "/residency?bucket=nowhere").status())
                .isEqualTo(400);
    }

    @Test
    void bucketsAreThoseTheCallerSees() throws Exception {
        JsonNode admins = server.get(ADMIN, API + "/buckets").json().path("buckets");
        JsonNode alices = server.get(ALICE, API + "/buckets").json().path("buckets");

        assertThat(admins.size()).isEqualTo(2);
        assertThat(alices.toString())
                .isEqualTo("[{\"name\":\"data\",\"backend\":\"local\","
                        + "\"freshness\":{\"mode\":\"immutable\",\"listTtlSeconds\":0,"
                        + "\"staleWhileRevalidateSeconds\":0,\"staleIfErrorSeconds\":0},"
                        + "\"write\":\"fill\",\"rights\":[\"read\",\"list\"]}]");
    }

    @Test
    void theStatusIsForOperators() throws Exception {
        JsonNode status = server.get(ADMIN, API + "/status").json();

        assertThat(status.path("version").asString()).isEqualTo("development");
        assertThat(status.path("s3Port").asInt()).isEqualTo(server.s3Port());
        assertThat(status.path("backends").toString()).isEqualTo("[\"local\"]");
        assertThat(status.path("cache").path("capacity").asLong()).isEqualTo(1L << 30);
        for (Caller other : Arrays.asList(ALICE, KEEPER, WRITER)) {
            assertThat(server.get(other, API + "/status").status()).isEqualTo(403);
        }
    }

    @Test
    void invalidatedObjectIsRevalidated() throws Exception {
        assertThat(read("o-07")).isEqualTo("content 7");
        Files.writeString(server.bucket().resolve("o-07"), "changed behind its back");
        assertThat(read("o-07")).isEqualTo("content 7");

        assertThat(invalidate(WRITER, "{\"bucket\":\"data\",\"key\":\"o-07\"}").status())
                .isEqualTo(204);

        assertThat(read("o-07")).isEqualTo("changed behind its back");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{\"bucket\":\"data\",\"key\":\"x\"} | 403 | ''",
                "{\"bucket\":\"data\",\"prefix\":\"o\"} | 403 | ''",
                "{\"bucket\":\"data\",\"prefix\":\"\"} | 403 | ''",
                "{\"bucket\":\"data\",\"prefix\":\"o-\",\"key\":\"o-1\"} | 400 | prefix",
                "{\"bucket\":\"data\"} | 403 | ''",
                "{\"bucket\":\"data\",\"key\":\"\"} | 400 | key",
                "{\"key\":\"o-1\"} | 400 | bucket",
                "{\"bucket\":\"no bucket\",\"key\":\"o-1\"} | 400 | bucket",
                "{\"bucket\":\"nothing\",\"key\":\"o-1\"} | 403 | ''",
                "{\"bucket\":\"data\",\"key\":\"o-1\",\"all\":true} | 400 | all"
            })
    void aWrongInvalidationIsAProblem(String body, int status, String field) throws Exception {
        Response response = invalidate(WRITER, body);

        assertThat(response.status()).as(response.text()).isEqualTo(status);
        assertThat(response.field("field")).isEqualTo(field);
    }

    private static Response invalidate(Caller caller, String body) throws Exception {
        return server.post(caller, API + "/invalidations", body);
    }

    private static String read(String key) throws Exception {
        URI uri = URI.create("http://127.0.0.1:" + server.s3Port() + "/data/" + key);
        HttpRequest.Builder request = HttpRequest.newBuilder(uri);
        server.signature(ALICE, "GET", uri, ApiServer.hash("")).forEach(request::header);
        return ApiServer.send(request.build()).text();
    }

    private static String job(String from) {
        return "{'kind':'prefetch','from':{%s}}".formatted(from).replace('\'', '"');
    }

    private static String with(String more) {
        return "{'kind':'prefetch','from':{'bucket':'data'},%s}".formatted(more).replace('\'', '"');
    }
}
