package io.millrace.backend.gcs;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.BiFunction;
import java.util.function.UnaryOperator;

/**
 * A server on loopback that keeps objects in memory and behaves as the documentation of Google Cloud Storage says, where the emulator
 * does not: preconditions of every operation, composite objects without an MD5, defaults of Cache-Control, decompression of gzip,
 * error documents, pages. It records requests, and a test may replace its responses.
 */
final class DocumentedGcsServer implements AutoCloseable {
    private final HttpServer server;
    private final ExecutorService threads = Executors.newCachedThreadPool(task -> {
        Thread thread = new Thread(task, "documented-gcs");
        thread.setDaemon(true);
        return thread;
    });
    private final DocumentedStorage storage = new DocumentedStorage();
    private final Queue<ReceivedCall> calls = new ConcurrentLinkedQueue<>();
    private volatile BiFunction<ReceivedCall, PreparedResponse, PreparedResponse> change = (call, response) -> response;
    private volatile UnaryOperator<ReceivedCall> beforehand = call -> call;

    private DocumentedGcsServer(HttpServer server) {
        this.server = server;
    }

    static DocumentedGcsServer start() throws IOException {
        HttpServer http = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 256);
        DocumentedGcsServer started = new DocumentedGcsServer(http);
        http.createContext("/", started::handle);
        http.setExecutor(started.threads);
        http.start();
        return started;
    }

    URI uri() {
        return URI.create("http://127.0.0.1:" + server.getAddress().getPort());
    }

    DocumentedStorage storage() {
        return storage;
    }

    List<ReceivedCall> calls() {
        return List.copyOf(calls);
    }

    void clearCalls() {
        calls.clear();
    }

    /** Replaces responses: given the request and the response that it would get. */
    void change(BiFunction<ReceivedCall, PreparedResponse, PreparedResponse> by) {
        change = by;
    }

    /** Runs something when a request has arrived, before it takes effect. */
    void beforehand(UnaryOperator<ReceivedCall> action) {
        beforehand = action;
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }

    private void handle(HttpExchange exchange) throws IOException {
        try (exchange) {
            ReceivedCall call = beforehand.apply(received(exchange));
            calls.add(call);
            PreparedResponse response = change.apply(call, storage.respond(call));
            response.headers().forEach(header -> exchange.getResponseHeaders().add(header.getKey(), header.getValue()));
            boolean isEmpty = response.announced() == 0 || call.method().equals("HEAD");
            exchange.sendResponseHeaders(response.status(), isEmpty ? -1 : response.announced());
            if (!isEmpty) {
                OutputStream out = exchange.getResponseBody();
                out.write(response.body());
                out.flush();
            }
        }
    }

    private static ReceivedCall received(HttpExchange exchange) throws IOException {
        Map<String, String> headers = new HashMap<>();
        exchange.getRequestHeaders()
                .forEach((name, values) -> headers.put(name.toLowerCase(Locale.ROOT), String.join(", ", values)));
        String raw = exchange.getRequestURI().getRawQuery();
        byte[] body = exchange.getRequestBody().readAllBytes();
        return new ReceivedCall(
                exchange.getRequestMethod(),
                exchange.getRequestURI().getRawPath(),
                ReceivedCall.query(raw == null ? "" : raw),
                headers,
                body);
    }
}
