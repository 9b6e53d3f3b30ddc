package io.millrace.backend.azure;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.function.Function;

/** An HTTP server of a test that responder as told and remembers each request. */
final class RecordingServer implements AutoCloseable {
    private final HttpServer server;
    private final List<Recorded> requests = new CopyOnWriteArrayList<>();
    private volatile Function<Recorded, PlannedResponse> responder = request -> new PlannedResponse(500, Map.of(), "");

    /**
     * A request that came.
     *
     * @param target path and query as they came
     * @param headers with names in lower case
     */
    record Recorded(String method, String target, Map<String, String> headers, String body) {
        String header(String name) {
            return headers.getOrDefault(name, "");
        }
    }

    /** A response to send; with {@code content-length} among its headers it is that of a HEAD. */
    record PlannedResponse(int status, Map<String, String> headers, String body) {
        static PlannedResponse of(int status) {
            return new PlannedResponse(status, Map.of(), "");
        }

        /** An error of the Blob service, in its header and in XML. */
        static PlannedResponse error(int status, String code) {
            return new PlannedResponse(
                    status,
                    Map.of("x-ms-error-code", code),
                    "<?xml version=\"1.0\"?><Error><Code>%s</Code><Message>Told by the test.\nRequestId:1</Message></Error>"
                            .formatted(code));
        }

        PlannedResponse with(String name, String value) {
            Map<String, String> more = new TreeMap<>(headers);
            more.put(name, value);
            return new PlannedResponse(status, more, body);
        }
    }

    RecordingServer() {
        try {
            server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        server.createContext("/", this::handle);
        server.setExecutor(Executors.newCachedThreadPool(task -> {
            Thread thread = new Thread(task, "recording-server");
            thread.setDaemon(true);
            return thread;
        }));
        server.start();
    }

    void respond(Function<Recorded, PlannedResponse> response) {
        responder = response;
    }

    URI url() {
        return URI.create("http://127.0.0.1:" + server.getAddress().getPort());
    }

    List<Recorded> requests() {
        return requests;
    }

    @Override
    public void close() {
        server.stop(0);
    }

    private void handle(HttpExchange exchange) throws IOException {
        try (exchange) {
            Map<String, String> headers = new TreeMap<>();
            exchange.getRequestHeaders()
                    .forEach((name, values) -> headers.put(name.toLowerCase(Locale.ROOT), String.join(",", values)));
            String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
            Recorded request = new Recorded(
                    exchange.getRequestMethod(), exchange.getRequestURI().toString(), headers, body);
            requests.add(request);
            PlannedResponse response = responder.apply(request);
            byte[] bytes = response.body().getBytes(StandardCharsets.UTF_8);
            exchange.getResponseHeaders().set("x-ms-request-id", "00000000-0000-0000-0000-000000000001");
            response.headers().forEach(exchange.getResponseHeaders()::set);
            if (response.headers().getOrDefault("x-ms-request-id", "1").isEmpty()) {
                exchange.getResponseHeaders().remove("x-ms-request-id");
            }
            boolean bodiless = request.method().equals("HEAD") || response.status() == 304 || bytes.length == 0;
            exchange.sendResponseHeaders(response.status(), bodiless ? -1 : bytes.length);
            if (!bodiless) {
                exchange.getResponseBody().write(bytes);
            }
        }
    }
}
