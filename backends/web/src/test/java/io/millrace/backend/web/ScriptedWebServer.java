package io.millrace.backend.web;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A web server of the tests, for the behaviour of caches in networks and of servers that are wrong. */
final class ScriptedWebServer implements AutoCloseable {
    private final HttpServer server;
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final Map<String, Function<Request, ScriptedResponse>> pages = new ConcurrentHashMap<>();
    private final List<Request> received = Collections.synchronizedList(new ArrayList<>());

    /** A request as received; the target is not decoded. */
    record Request(String method, String target, Headers headers) {
        @Nullable String header(String name) {
            return headers.getFirst(name);
        }
    }

    /** A response. */
    static final class ScriptedResponse {
        private final int status;
        private final Map<String, String> headers;
        private final byte[] body;

        /** Announced bytes; -1 for none (chunked). */
        private final long length;

        private ScriptedResponse(int status, Map<String, String> headers, byte[] body, long length) {
            this.status = status;
            this.headers = headers;
            this.body = body;
            this.length = length;
        }

        static ScriptedResponse of(byte[] body, String... fields) {
            return of(200, body, fields);
        }

        static ScriptedResponse of(int status, byte[] body, String... fields) {
            Map<String, String> headers = new ConcurrentHashMap<>();
            for (int i = 0; i < fields.length; i += 2) {
                headers.put(fields[i], fields[i + 1]);
            }
            return new ScriptedResponse(status, headers, body, body.length);
        }

        static ScriptedResponse text(String type, String text) {
            return of(text.getBytes(StandardCharsets.UTF_8), "Content-Type", type);
        }

        static ScriptedResponse status(int status, String... fields) {
            return of(status, new byte[0], fields);
        }

        ScriptedResponse announcing(long bytes) {
            return new ScriptedResponse(status, headers, body, bytes);
        }
    }

    ScriptedWebServer() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(threads);
        server.createContext("/", this::answer);
        server.start();
    }

    /** Sets the responses to requests for a target, which is compared as it is sent. */
    void page(String target, Function<Request, ScriptedResponse> answer) {
        pages.put(target, answer);
    }

    void page(String target, ScriptedResponse answer) {
        page(target, request -> answer);
    }

    List<Request> received() {
        return List.copyOf(received);
    }

    String url() {
        return "http://127.0.0.1:%d/".formatted(server.getAddress().getPort());
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdown();
    }

    private void answer(HttpExchange exchange) throws IOException {
        Request request = new Request(
                exchange.getRequestMethod(), exchange.getRequestURI().toString(), exchange.getRequestHeaders());
        received.add(request);
        ScriptedResponse answer = pages.getOrDefault(request.target(), other -> ScriptedResponse.status(404))
                .apply(request);
        answer.headers.forEach((name, value) -> exchange.getResponseHeaders().set(name, value));
        if (request.method().equals("HEAD")) {
            if (answer.length >= 0) {
                exchange.getResponseHeaders().set("Content-Length", String.valueOf(answer.length));
            }
            exchange.sendResponseHeaders(answer.status, -1);
        } else if (answer.length == 0) {
            exchange.sendResponseHeaders(answer.status, -1);
        } else {
            exchange.sendResponseHeaders(answer.status, Math.max(0, answer.length));
            exchange.getResponseBody().write(answer.body);
        }
        exchange.close();
    }
}
