package io.millrace.gateway.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.millrace.auth.Authentication;
import io.millrace.auth.IdentityRegistry;
import io.millrace.auth.IdentitySettings;
import io.millrace.auth.PayloadType;
import io.millrace.auth.RequestVerificationException;
import io.millrace.auth.Sha256;
import io.millrace.auth.SignatureSettings;
import io.millrace.auth.SignedRequest;
import io.millrace.auth.policy.AllowRule;
import io.millrace.auth.signature.RequestVerifier;
import io.millrace.config.Secret;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URLDecoder;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingDeque;

/**
 * A fake control port with scripted responses. Like the real one, it accepts only requests that are signed with {@link #ACCESS} and its
 * secret, including the body.
 */
final class FakeControlServer implements AutoCloseable {
    static final String ACCESS = "ALICE01";
    static final String SECRET = "alice-secret";

    private final HttpServer server;
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final RequestVerifier verifier = new RequestVerifier(
            IdentityRegistry.of(
                    List.of(new IdentitySettings("alice", ACCESS, Secret.of(SECRET), List.of(AllowRule.parse("*"))))),
            SignatureSettings.defaults(),
            InstantSource.system());
    private final Map<String, LinkedBlockingDeque<CannedResponse>> responses = new ConcurrentHashMap<>();
    private final List<ReceivedRequest> asked = Collections.synchronizedList(new ArrayList<>());

    /** A request that was signed. */
    record ReceivedRequest(String line, String body) {
        JsonObject json() {
            return JsonCodec.readObject(body);
        }
    }

    /** An answer. */
    record CannedResponse(int status, String type, String body) {
        static CannedResponse json(int status, String json) {
            return new CannedResponse(status, "application/json", json);
        }

        static CannedResponse problem(int status, String json) {
            return new CannedResponse(status, "application/problem+json", json);
        }
    }

    FakeControlServer() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", this::handle);
        server.setExecutor(threads);
        server.start();
    }

    /** Answers {@code GET /api/v1/jobs}, as {@code line} says it, with these, one after the other; the last one for ever. */
    FakeControlServer on(String line, CannedResponse... inTurn) {
        responses.put(line, new LinkedBlockingDeque<>(List.of(inTurn)));
        return this;
    }

    String endpoint() {
        return "http://127.0.0.1:" + server.getAddress().getPort();
    }

    List<ReceivedRequest> asked() {
        return List.copyOf(asked);
    }

    List<String> lines() {
        return asked().stream().map(ReceivedRequest::line).toList();
    }

    /** The body of the only request that was sent. */
    JsonObject onlyBody() {
        if (asked.size() != 1) {
            throw new AssertionError("asked: " + asked);
        }
        return asked.get(0).json();
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdown();
    }

    private void handle(HttpExchange exchange) throws IOException {
        byte[] body = exchange.getRequestBody().readAllBytes();
        String line = exchange.getRequestMethod() + " " + exchange.getRequestURI();
        send(exchange, refusal(exchange, body).orElseGet(() -> {
            asked.add(new ReceivedRequest(line, new String(body, UTF_8)));
            return next(line);
        }));
    }

    private CannedResponse next(String line) {
        LinkedBlockingDeque<CannedResponse> inTurn = responses.get(line);
        if (inTurn == null) {
            return CannedResponse.problem(
                    404, "{\"title\":\"Not Found\",\"status\":404,\"detail\":\"not scripted: " + line + "\"}");
        }
        return inTurn.size() > 1 ? inTurn.remove() : inTurn.element();
    }

    private Optional<CannedResponse> refusal(HttpExchange exchange, byte[] body) {
        try {
            if (verifier.verify(new Head(exchange)) instanceof Authentication.Signed signed
                    && signed.payload() instanceof PayloadType.Sha256 hash
                    && hash.hex().equals(Sha256.hex(body))) {
                return Optional.empty();
            }
            return Optional.of(
                    CannedResponse.problem(401, "{\"status\":401,\"detail\":\"Sign the request, body and all.\"}"));
        } catch (RequestVerificationException e) {
            return Optional.of(CannedResponse.problem(
                    401, "{\"status\":401,\"detail\":\"" + e.code().text() + "\"}"));
        }
    }

    private static void send(HttpExchange exchange, CannedResponse response) throws IOException {
        exchange.getResponseHeaders().set("content-type", response.type());
        if (response.status() == 401) {
            exchange.getResponseHeaders().set("www-authenticate", "Bearer");
        }
        exchange.sendResponseHeaders(response.status(), response.status() == 204 ? -1 : 0);
        if (response.status() != 204) {
            exchange.getResponseBody().write(response.body().getBytes(UTF_8));
        }
        exchange.close();
    }

    private record Head(HttpExchange exchange) implements SignedRequest {
        @Override
        public String method() {
            return exchange.getRequestMethod();
        }

        @Override
        public String path() {
            return exchange.getRequestURI().getPath();
        }

        @Override
        public Optional<String> virtualHostBucket() {
            return Optional.empty();
        }

        @Override
        public List<Parameter> query() {
            String query = exchange.getRequestURI().getRawQuery();
            return query == null
                    ? List.of()
                    : Arrays.stream(query.split("&"))
                            .map(parameter -> parameter.split("=", 2))
                            .map(pair -> new Parameter(pair[0], URLDecoder.decode(pair[1], UTF_8)))
                            .toList();
        }

        @Override
        public List<String> headerValues(String lowerCaseName) {
            return exchange.getRequestHeaders().getOrDefault(lowerCaseName, List.of());
        }

        @Override
        public List<String> headerNames() {
            return exchange.getRequestHeaders().keySet().stream()
                    .map(name -> name.toLowerCase(Locale.ROOT))
                    .toList();
        }
    }
}
