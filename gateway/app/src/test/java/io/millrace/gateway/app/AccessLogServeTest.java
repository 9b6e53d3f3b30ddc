package io.millrace.gateway.app;

import static io.millrace.gateway.app.ApiServer.ALICE;
import static io.millrace.gateway.app.ApiServer.WRITER;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.gateway.app.ApiServer.Caller;
import io.millrace.gateway.testkit.RawClient;
import java.net.URI;
import java.net.http.HttpRequest;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Tests that the access log of a running gateway has a line for each request at its S3 port, and no secret. */
@Timeout(120)
class AccessLogServeTest {
    private static final JsonMapper JSON = JsonMapper.builder().build();
    private static final String BUCKETS = "{ name: data, backend: local, freshness: { mode: immutable } }";

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path folder;

    private enum Format {
        TEXT,
        JSON
    }

    @ParameterizedTest
    @EnumSource
    void eachRequestIsALineOnceTheGatewayHasStopped(Format format) throws Exception {
        try (ApiServer server = start(log(), format.name().toLowerCase(Locale.ROOT))) {
            assertThat(get(server, ALICE, "/data/o-01?x-id=canary", "bytes=2-4"))
                    .isEqualTo(206);
            // The whole object is in the cache when the response has ended; what is left is from memory or a disk.
            assertThat(get(server, ALICE, "/data/o-02", "bytes=0-")).isEqualTo(206);
            assertThat(get(server, ALICE, "/data/o-02", "bytes=0-")).isEqualTo(206);
            assertThat(get(server, WRITER, "/data/o-01", "bytes=0-")).isEqualTo(403);
            assertThat(RawClient.ask(server.s3Port(), "NO SUCH THING\r\n\r\n").status())
                    .isEqualTo(400);
        }

        assertThat(summaries(format))
                .containsExactly(
                        "alice GetObject GET /data/o-01 206 ok - miss local data bytes=2-4 3 test-agent/1",
                        "alice GetObject GET /data/o-02 206 ok - miss local data bytes=0- 9 test-agent/1",
                        "alice GetObject GET /data/o-02 206 ok - hit local data bytes=0- 9 test-agent/1",
                        "writer GetObject GET /data/o-01 403 denied AccessDenied - - data bytes=0- + test-agent/1",
                        "- - - - 400 client_error InvalidRequest - - - - + -");
        assertThat(Files.readString(log()))
                .contains("127.0.0.1")
                .doesNotContain("canary", "secret", "Signature", "AWS4", "Credential");
    }

    @Test
    void pathThatCannotBeWrittenPreventsTheStart() {
        Path path = folder.resolve("none/access.log");

        assertThatThrownBy(() -> start(path, "json"))
                .isInstanceOf(StartException.class)
                .hasMessageContaining("s3.access-log.path: " + path + " cannot be written");
    }

    private ApiServer start(Path path, String format) throws Exception {
        return ApiServer.start(
                folder,
                BUCKETS,
                "",
                Map.of("MILLRACE_S3_ACCESS_LOG_PATH", path.toString(), "MILLRACE_S3_ACCESS_LOG_FORMAT", format));
    }

    private Path log() {
        return folder.resolve("access.log");
    }

    /** Returns the fields that are the same in each run. */
    private List<String> summaries(Format format) throws Exception {
        List<String> summaries = new ArrayList<>();
        for (String line : Files.readAllLines(log())) {
            summaries.add(format == Format.JSON ? ofJson(JSON.readTree(line)) : ofText(line.split(" ", 20)));
        }
        return summaries;
    }

    private static String ofText(String[] fields) {
        assertThat(fields[0]).matches("\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z");
        assertThat(fields[1]).matches("[0-9A-F]{16}");
        assertThat(Long.parseLong(fields[18])).isPositive();
        List<String> shown = new ArrayList<>(List.of(fields).subList(4, 15));
        shown.add(bytes(Integer.parseInt(fields[8]), Long.parseLong(fields[16])));
        shown.add(fields[19].replace("\"", ""));
        return String.join(" ", shown);
    }

    private static String ofJson(JsonNode line) {
        List<String> shown = new ArrayList<>();
        for (String field : List.of(
                "identity",
                "operation",
                "method",
                "path",
                "status",
                "outcome",
                "error",
                "cache",
                "backend",
                "bucket",
                "range")) {
            shown.add(line.path(field).asString("-"));
        }
        shown.add(bytes(line.path("status").asInt(), line.path("bytesOut").asLong()));
        shown.add(line.path("userAgent").asString("-"));
        return String.join(" ", shown);
    }

    /** The length of an error is that of its words. */
    private static String bytes(int status, long bytes) {
        return status >= 400 && bytes > 0 ? "+" : Long.toString(bytes);
    }

    private static int get(ApiServer server, Caller caller, String path, String range) throws Exception {
        URI uri = URI.create("http://127.0.0.1:" + server.s3Port() + path);
        HttpRequest.Builder request =
                HttpRequest.newBuilder(uri).header("range", range).header("user-agent", "test-agent/1");
        server.signature(caller, "GET", uri, ApiServer.hash("")).forEach(request::header);
        return ApiServer.send(request.build()).status();
    }
}
