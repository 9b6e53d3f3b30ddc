package io.millrace.gateway.app;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.gateway.app.ApiServer.Response;
import io.millrace.gateway.testkit.RawClient;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that the console's files need no authentication, have protective headers, and hold no client's data. */
class ConsoleTest extends ApiServerTest {
    private static final Path FILES = Path.of("../control/src/main/resources/io/millrace/gateway/control/console");

    @ParameterizedTest
    @MethodSource("names")
    void everyFileIsServedWithAllThatProtectsIt(String name) throws Exception {
        Response response = get("/console/" + name, Map.of());

        assertThat(response.status()).isEqualTo(200);
        assertThat(response.text()).isEqualTo(Files.readString(FILES.resolve(name)));
        assertThat(header(response, "content-security-policy"))
                .contains("default-src 'none'")
                .contains("script-src 'self';")
                .contains("style-src 'self';")
                .contains("connect-src 'self';")
                .contains("frame-ancestors 'none'")
                .contains("base-uri 'none'")
                .contains("form-action 'none'")
                .doesNotContain("unsafe");
        assertThat(header(response, "x-content-type-options")).isEqualTo("nosniff");
        assertThat(header(response, "referrer-policy")).isEqualTo("no-referrer");
        assertThat(header(response, "cache-control")).isEqualTo("no-cache");
        assertThat(response.type()).startsWith(type(name));
    }

    @ParameterizedTest
    @ValueSource(strings = {"uPlot.iife.min.js", "uPlot.min.css"})
    void chartLibraryIsServedFromTheProgram(String name) throws Exception {
        Response response = get("/console/" + name, Map.of());

        assertThat(response.status()).isEqualTo(200);
        assertThat(response.type()).startsWith(type(name));
        assertThat(header(response, "content-security-policy")).contains("default-src 'none'");
        assertThat(response.text())
                .doesNotContainPattern("innerHTML|outerHTML|insertAdjacentHTML|document\\.write|eval\\(|new Function")
                .doesNotContain("@import", "url(");
    }

    @Test
    void browserWithTheSameFileGetsNotModified() throws Exception {
        String tag = header(get("/console/main.js", Map.of()), "etag");

        assertThat(get("/console/main.js", Map.of("if-none-match", tag)).status())
                .isEqualTo(304);
        assertThat(get("/console/main.js", Map.of("if-none-match", "\"other\"")).status())
                .isEqualTo(200);
    }

    @ParameterizedTest
    @ValueSource(strings = {"/", "/console"})
    void redirectsToTheConsole(String path) throws Exception {
        Response response = get(path, Map.of());

        assertThat(response.status()).isEqualTo(302);
        assertThat(header(response, "location")).isEqualTo("/console/");
        assertThat(get("/console/", Map.of()).text()).contains("<title>Millrace</title>");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/console/openapi.json",
                "/console/../openapi.json",
                "/console/..%2Fopenapi.json",
                "/console/%2e%2e/openapi.json",
                "/console//main.js",
                "/console/console/main.js",
                "/console/main.js/",
                "/console/application.properties",
                "/webjars/uplot/1.6.30/dist/uPlot.iife.min.js",
                "/index.html"
            })
    void servesNoOtherFiles(String path) throws Exception {
        RawClient.Response response =
                RawClient.ask(server.port(), "GET " + path + " HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n");

        assertThat(response.status()).isIn(400, 404);
    }

    /**
     * A script that runs, a style, or markup made of a text would be refused by the browser; it shall not come to that.
     */
    @ParameterizedTest
    @MethodSource("names")
    void noTextBecomesMarkup(String name) throws Exception {
        assertThat(Files.readString(FILES.resolve(name)))
                .doesNotContainPattern("innerHTML|outerHTML|insertAdjacentHTML|document\\.write|eval\\(|new Function")
                .doesNotContainPattern("\\sstyle=|<style|<script(?! type=\"module\" src=\"main\\.js\">| defer"
                        + " src=\"uPlot\\.iife\\.min\\.js\">)|javascript:")
                .doesNotContainPattern("https?://(?!www\\.w3\\.org/2000/svg)");
    }

    static List<String> names() throws IOException {
        try (Stream<Path> files = Files.list(FILES)) {
            return files.map(file -> file.getFileName().toString()).sorted().toList();
        }
    }

    private static String type(String name) {
        return switch (name.substring(name.lastIndexOf('.'))) {
            case ".js" -> "text/javascript";
            case ".css" -> "text/css";
            case ".svg" -> "image/svg+xml";
            default -> "text/html";
        };
    }

    private static Response get(String path, Map<String, String> headers) throws Exception {
        return ApiServer.send(server.request("GET", path, "", headers));
    }

    private static String header(Response response, String name) {
        return response.raw().headers().firstValue(name).orElse("");
    }
}
