package io.millrace.gateway.control;

import io.millrace.auth.Sha256;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import org.springframework.http.HttpHeaders;
import org.springframework.http.MediaType;
import org.springframework.web.reactive.function.server.RouterFunction;
import org.springframework.web.reactive.function.server.RouterFunctions;
import org.springframework.web.reactive.function.server.ServerRequest;
import org.springframework.web.reactive.function.server.ServerResponse;
import reactor.core.publisher.Mono;

/**
 * Serves the static files of the web console: those named here and no other, read once at start. They hold no data; the
 * console requests what it shows from the API, with the rights of its user.
 */
final class ConsoleFiles {
    private static final String ROOT = "/console/";
    private static final MediaType SCRIPT = MediaType.parseMediaType("text/javascript;charset=utf-8");
    private static final MediaType STYLE = MediaType.parseMediaType("text/css;charset=utf-8");
    private static final MediaType PAGE = MediaType.parseMediaType("text/html;charset=utf-8");
    private static final MediaType IMAGE = MediaType.parseMediaType("image/svg+xml");

    private static final List<String> NAMES = List.of(
            "index.html",
            "colours.css",
            "base.css",
            "controls.css",
            "tables.css",
            "pages.css",
            "charts.css",
            "icon.svg",
            "main.js",
            "route.js",
            "rights.js",
            "api.js",
            "token.js",
            "sha256.js",
            "period.js",
            "repeat.js",
            "dom.js",
            "format.js",
            "theme.js",
            "signin.js",
            "overview.js",
            "alarms.js",
            "traffic.js",
            "trafficcharts.js",
            "chart.js",
            "storage.js",
            "jobs.js",
            "schedules.js",
            "job.js",
            "jobrow.js",
            "jobactions.js",
            "jobform.js",
            "jobwords.js",
            "buckets.js",
            "tree.js",
            "treeactions.js",
            "residency.js",
            "explain.js",
            "errordata.js",
            "errorhistory.js",
            "errors.js",
            "banner.js",
            "jobcommand.js",
            "access.js",
            "cluster.js",
            "settings.js");

    /** Files of the chart library, from its jar. */
    private static final List<String> LIBRARY_NAMES = List.of("uPlot.iife.min.js", "uPlot.min.css");

    private static final String LIBRARY = "/META-INF/resources/webjars/uplot/%s/dist/";
    private static final String LIBRARY_POM = "/META-INF/maven/org.webjars.npm/uplot/pom.properties";

    /** Nothing but our own files runs, nothing is loaded from or sent to elsewhere, and no text becomes markup. */
    private static final String POLICY = String.join(
            "; ",
            "default-src 'none'",
            "script-src 'self'",
            "style-src 'self'",
            "img-src 'self' data:",
            "connect-src 'self'",
            "frame-ancestors 'none'",
            "base-uri 'none'",
            "form-action 'none'",
            "require-trusted-types-for 'script'",
            "trusted-types 'none'");

    private final Map<String, Content> files = new LinkedHashMap<>();

    private record Content(ByteBuffer bytes, MediaType type, String tag) {}

    ConsoleFiles() {
        NAMES.forEach(name -> files.put(name, read("console/", name)));
        String library = LIBRARY.formatted(libraryVersion());
        LIBRARY_NAMES.forEach(name -> files.put(name, read(library, name)));
    }

    RouterFunction<ServerResponse> routes() {
        return RouterFunctions.route()
                .GET("/", request -> toPage())
                .GET("/console", request -> toPage())
                .GET(ROOT, request -> response(request, "index.html"))
                .GET(
                        ROOT + "{name}",
                        request -> files.containsKey(request.pathVariable("name")),
                        request -> response(request, request.pathVariable("name")))
                .build();
    }

    private static Mono<ServerResponse> toPage() {
        return ServerResponse.status(302).header(HttpHeaders.LOCATION, ROOT).build();
    }

    /** Sends {@code no-cache}, so that browsers revalidate each file and see a new version of the program at once. */
    private Mono<ServerResponse> response(ServerRequest request, String name) {
        Content file = Objects.requireNonNull(files.get(name), "routed by its name");
        return request.checkNotModified(file.tag())
                .switchIfEmpty(Mono.defer(() -> ServerResponse.ok()
                        .eTag(file.tag())
                        .contentType(file.type())
                        .headers(ConsoleFiles::protect)
                        .bodyValue(file.bytes().duplicate())));
    }

    private static void protect(HttpHeaders headers) {
        headers.setCacheControl("no-cache");
        headers.set("Content-Security-Policy", POLICY);
        headers.set("X-Content-Type-Options", "nosniff");
        headers.set("X-Frame-Options", "DENY");
        headers.set("Referrer-Policy", "no-referrer");
        headers.set("Cross-Origin-Resource-Policy", "same-origin");
    }

    private static Content read(String folder, String name) {
        try (InputStream in = Objects.requireNonNull(ConsoleFiles.class.getResourceAsStream(folder + name), name)) {
            byte[] bytes = in.readAllBytes();
            return new Content(
                    ByteBuffer.wrap(bytes), type(name), '"' + Sha256.hex(bytes).substring(0, 32) + '"');
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String libraryVersion() {
        try (InputStream in = Objects.requireNonNull(ConsoleFiles.class.getResourceAsStream(LIBRARY_POM))) {
            Properties pom = new Properties();
            pom.load(in);
            return Objects.requireNonNull(pom.getProperty("version"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static MediaType type(String name) {
        return switch (name.substring(name.lastIndexOf('.'))) {
            case ".js" -> SCRIPT;
            case ".css" -> STYLE;
            case ".svg" -> IMAGE;
            default -> PAGE;
        };
    }
}
