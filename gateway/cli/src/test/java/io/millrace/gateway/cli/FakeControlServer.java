package io.millrace.gateway.cli;

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
import io.millrace.backend.testkit.server.PlannedResponse;
import io.millrace.backend.testkit.server.RecordedRequest;
import io.millrace.backend.testkit.server.RecordingServer;
import io.millrace.config.Secret;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingDeque;

/**
 * A fake control port with scripted responses. Like the real one, it accepts only requests that are signed with {@link
 * #ACCESS} and its secret, including the body.
 */
final class FakeControlServer implements AutoCloseable {
    static final String ACCESS = "ALICE01";
    static final String SECRET = "alice-secret";

    private final RequestVerifier verifier = new RequestVerifier(
            IdentityRegistry.of(
                    List.of(new IdentitySettings("alice", ACCESS, Secret.of(SECRET), List.of(AllowRule.parse("*"))))),
            SignatureSettings.defaults(),
            InstantSource.system());
    private final Map<String, LinkedBlockingDeque<PlannedResponse>> responses = new ConcurrentHashMap<>();
    private final List<RecordedRequest> asked = new CopyOnWriteArrayList<>();
    private final RecordingServer server = new RecordingServer(this::respond);

    /** A refusal, as the API writes it. */
    static PlannedResponse problem(int status, String json) {
        return PlannedResponse.text(status, json).with("Content-Type", "application/problem+json");
    }

    /**
     * Answers {@code GET /api/v1/jobs}, as {@code line} says it, with these, one after the other; the last one for
     * ever.
     */
    FakeControlServer on(String line, PlannedResponse... inTurn) {
        responses.put(line, new LinkedBlockingDeque<>(List.of(inTurn)));
        return this;
    }

    String endpoint() {
        return server.uri().toString();
    }

    /** Returns the requests that were signed. */
    List<RecordedRequest> asked() {
        return List.copyOf(asked);
    }

    List<String> lines() {
        return asked.stream().map(RecordedRequest::toString).toList();
    }

    /** The body of a request that was signed, of those that came in order. */
    JsonObject body(int number) {
        return JsonCodec.readObject(asked.get(number).text());
    }

    /** The body of the only request that was sent. */
    JsonObject onlyBody() {
        if (asked.size() != 1) {
            throw new AssertionError("asked: " + asked);
        }
        return body(0);
    }

    @Override
    public void close() {
        server.close();
    }

    private PlannedResponse respond(RecordedRequest request) {
        PlannedResponse response = refusal(request).orElseGet(() -> {
            asked.add(request);
            return next(request.toString());
        });
        return response.status() == 401 ? response.with("WWW-Authenticate", "Bearer") : response;
    }

    private PlannedResponse next(String line) {
        LinkedBlockingDeque<PlannedResponse> inTurn = responses.get(line);
        if (inTurn == null) {
            return problem(404, "{\"title\":\"Not Found\",\"status\":404,\"detail\":\"not scripted: " + line + "\"}");
        }
        return inTurn.size() > 1 ? inTurn.remove() : inTurn.element();
    }

    private Optional<PlannedResponse> refusal(RecordedRequest request) {
        try {
            if (verifier.verify(new Head(request)) instanceof Authentication.Signed signed
                    && signed.payload() instanceof PayloadType.Sha256 hash
                    && hash.hex().equals(Sha256.hex(request.body()))) {
                return Optional.empty();
            }
            return Optional.of(problem(401, "{\"status\":401,\"detail\":\"Sign the request, body and all.\"}"));
        } catch (RequestVerificationException e) {
            return Optional.of(
                    problem(401, "{\"status\":401,\"detail\":\"" + e.code().text() + "\"}"));
        }
    }

    private record Head(RecordedRequest request) implements SignedRequest {
        @Override
        public String method() {
            return request.method();
        }

        @Override
        public String path() {
            return RecordedRequest.decoded(request.path());
        }

        @Override
        public Optional<String> virtualHostBucket() {
            return Optional.empty();
        }

        @Override
        public List<Parameter> query() {
            return request.query().isEmpty()
                    ? List.of()
                    : Arrays.stream(request.query().split("&"))
                            .map(parameter -> parameter.split("=", 2))
                            .map(pair -> new Parameter(pair[0], RecordedRequest.decoded(pair[1])))
                            .toList();
        }

        @Override
        public List<String> headerValues(String lowerCaseName) {
            return request.header(lowerCaseName).stream().toList();
        }

        @Override
        public List<String> headerNames() {
            return List.copyOf(request.headers().keySet());
        }
    }
}
