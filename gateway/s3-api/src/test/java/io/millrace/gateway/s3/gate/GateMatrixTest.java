package io.millrace.gateway.s3.gate;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.backend.testkit.data.GeneratedBytes;
import io.millrace.backend.testkit.fault.FaultPlan;
import io.millrace.backend.testkit.fault.FaultyBackend;
import io.millrace.backend.testkit.memory.InMemoryBackend;
import io.millrace.gateway.s3.protocol.RequestTarget.Level;
import io.millrace.gateway.s3.protocol.S3Operation;
import io.millrace.gateway.testkit.RawClient;
import io.millrace.gateway.testkit.TestGateway;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Verifies that every route with every kind of authentication and every forgery is denied without a backend request.
 * Other gateways had holes in single combinations of handler and scheme. So the matrix is generated from the routing
 * table: a new operation is in it before it has a handler.
 */
class GateMatrixTest {
    static final String STRANGER = "STRANGER";
    static final String STRANGER_SECRET = "stranger-secret";

    private static final String BUCKET = "matrix";
    private static final InMemoryBackend objects = new InMemoryBackend();
    private static final FaultyBackend backend = new FaultyBackend(objects, FaultPlan.none());

    @SuppressWarnings("NullAway.Init")
    private static TestGateway gateway;

    private static @Nullable RawClient connection;

    @BeforeAll
    static void start() {
        ObjectRef object = new ObjectRef(new BucketName(BUCKET), new ObjectKey("key"));
        objects.store(object, GeneratedBytes.of("key").first(100), HeaderList.EMPTY);
        gateway = TestGateway.builder()
                .bucket(BUCKET, backend)
                .identity("stranger", STRANGER, STRANGER_SECRET, "read,list:elsewhere")
                .start();
    }

    @AfterAll
    static void stop() throws IOException {
        disconnect();
        gateway.close();
    }

    /** The operations that the test's backend serves; for the others it returns errors. */
    private static final Set<S3Operation> READS = EnumSet.of(
            S3Operation.LIST_BUCKETS,
            S3Operation.HEAD_BUCKET,
            S3Operation.GET_BUCKET_LOCATION,
            S3Operation.LIST_OBJECTS,
            S3Operation.LIST_OBJECTS_V2,
            S3Operation.GET_OBJECT,
            S3Operation.HEAD_OBJECT);

    /**
     * The operations that are not authenticated by their headers: preflights need no authentication, and a form has it
     * in its body.
     */
    private static final Set<S3Operation> PROVEN_ELSEWHERE =
            EnumSet.of(S3Operation.PREFLIGHT_BUCKET, S3Operation.PREFLIGHT_OBJECT, S3Operation.POST_OBJECT);

    @Test
    void deniesEveryForgeryOnEveryRoute() throws IOException {
        List<String> notDenied = new ArrayList<>();
        int denied = 0;
        long requested = calls();
        for (S3Operation operation : S3Operation.values()) {
            for (AuthenticationType type : AuthenticationType.values()) {
                for (Forgery forgery : Forgery.values()) {
                    RawClient.Response response = send(operation, forgery.forge(type, claim(operation)));
                    if (isDenied(operation, type, forgery, response)) {
                        denied++;
                    } else {
                        notDenied.add(operation + " " + type + " " + forgery + ": " + response);
                    }
                }
            }
        }

        assertThat(notDenied).isEmpty();
        assertThat(denied)
                .isEqualTo(S3Operation.values().length * AuthenticationType.values().length * Forgery.values().length);
        assertThat(calls()).isEqualTo(requested);
    }

    /** The control: the requests without forgery succeed, so those above are denied because of it. */
    @ParameterizedTest
    @MethodSource("servedCombinations")
    void servesValidlySignedRequests(S3Operation operation, AuthenticationType type) throws IOException {
        RawClient.Response response = send(operation, type.prove(claim(operation)));

        assertThat(response.status()).isNotIn(403, 500);
        assertThat(response.text()).doesNotContain("AccessDenied", "Signature", "InvalidAccessKeyId");
        if (READS.contains(operation)) {
            assertThat(response.status()).isEqualTo(200);
        }
    }

    @ParameterizedTest
    @MethodSource("otherCombinations")
    void deniesUnsupportedSignaturesWithTheRightSecretToo(S3Operation operation, AuthenticationType type)
            throws IOException {
        long requested = calls();

        assertThat(send(operation, type.prove(claim(operation))).status()).isBetween(400, 403);
        assertThat(calls()).isEqualTo(requested);
    }

    @ParameterizedTest
    @EnumSource
    void deniesUnsignedRequests(S3Operation operation) throws IOException {
        long requested = calls();

        int status = send(operation, new SignatureProof(List.of(), Map.of())).status();

        if (PROVEN_ELSEWHERE.contains(operation)) {
            assertThat(status).isIn(400, 412);
        } else {
            assertThat(status).isEqualTo(403);
        }
        assertThat(calls()).isEqualTo(requested);
    }

    static Stream<Arguments> servedCombinations() {
        // Signature version 2 signs only the sub-resources of its time; others are rejected.
        return combinations(true)
                .filter(pair -> pair.get()[1] != AuthenticationType.V2_QUERY || isOld((S3Operation) pair.get()[0]));
    }

    private static boolean isOld(S3Operation operation) {
        return operation.role() == S3Operation.Role.DATA
                && operation != S3Operation.GET_BATCH
                && operation.selectors().stream().noneMatch(name -> name.startsWith("x-amz-"));
    }

    static Stream<Arguments> otherCombinations() {
        return combinations(false);
    }

    private static Stream<Arguments> combinations(boolean served) {
        return Stream.of(S3Operation.values())
                .flatMap(operation -> Stream.of(AuthenticationType.values())
                        .filter(type -> type.isServed() == served)
                        .map(type -> Arguments.of(operation, type)));
    }

    /** Every authenticated caller may list buckets and sees only its own, so an empty list counts as denied. */
    private static boolean isDenied(
            S3Operation operation, AuthenticationType type, Forgery forgery, RawClient.Response response) {
        if (operation.level() == Level.SERVICE && forgery == Forgery.NO_RIGHT_THERE && type.isServed()) {
            return response.status() == 200 && !response.text().contains("<Bucket>");
        }
        if (operation == S3Operation.POST_OBJECT && response.status() == 412) {
            // A body that is not a form is rejected, whoever sends it.
            return true;
        }
        // Only authorized callers learn that a document or length is missing.
        boolean letIn =
                response.text().contains("MalformedXML") || response.text().contains("MissingContentLength");
        return response.status() >= 400 && response.status() <= 403 && !letIn;
    }

    private static ClaimedIdentity claim(S3Operation operation) {
        String path = switch (operation.level()) {
            case SERVICE -> "/";
            case BUCKET -> "/" + BUCKET;
            case OBJECT -> "/" + BUCKET + "/key";
        };
        String query = operation.selectors().stream()
                .sorted()
                .map(GateMatrixTest::parameter)
                .collect(Collectors.joining("&", operation.selectors().isEmpty() ? "" : "?", ""));
        boolean unknown = operation == S3Operation.UNKNOWN;
        return new ClaimedIdentity(
                TestGateway.ACCESS_KEY,
                TestGateway.SECRET_KEY,
                unknown ? "PUT" : operation.method(),
                path + (unknown ? "?unheard-of" : query),
                Instant.now());
    }

    private static String parameter(String selector) {
        return switch (selector) {
            case "list-type" -> "list-type=2";
            case "partNumber" -> "partNumber=1";
            case "uploadId" -> "uploadId=u";
            case "x-amz-copy-source" -> "x-amz-copy-source=%2F" + BUCKET + "%2Fkey";
            default -> selector;
        };
    }

    private static RawClient.Response send(S3Operation operation, SignatureProof proof) throws IOException {
        ClaimedIdentity right = claim(operation);
        String target = right.target();
        for (String parameter : proof.parameters()) {
            target += (target.contains("?") ? "&" : "?") + parameter;
        }
        StringBuilder head =
                new StringBuilder(right.method() + " " + target + " HTTP/1.1\r\nHost: " + ClaimedIdentity.HOST);
        proof.headers()
                .forEach((name, value) ->
                        head.append("\r\n").append(name).append(": ").append(value));
        return send(head + "\r\n\r\n");
    }

    /** Thousands of requests share connections, for as long as the gateway keeps them. */
    private static RawClient.Response send(String request) throws IOException {
        RawClient open = connection == null ? new RawClient(gateway.port()) : connection;
        connection = open;
        RawClient.Response response = open.send(request);
        boolean isWhole = response.headers().containsKey("content-length");
        if (!isWhole || response.headers().getOrDefault("connection", "").equalsIgnoreCase("close")) {
            disconnect();
        }
        return response;
    }

    private static void disconnect() throws IOException {
        if (connection != null) {
            connection.close();
            connection = null;
        }
    }

    private static long calls() {
        return Arrays.stream(FaultPlan.Operation.values())
                .mapToLong(backend::calls)
                .sum();
    }
}
