package io.millrace.gateway.s3.hub;

import io.millrace.auth.SignedRequest.Parameter;
import io.millrace.gateway.error.PercentDecoder;
import io.millrace.gateway.error.S3ErrorCode;
import io.millrace.gateway.error.S3Exception;
import io.millrace.gateway.s3.protocol.RequestHeaders;
import io.millrace.gateway.s3.protocol.UnverifiedRequestBody;
import io.millrace.gateway.s3.protocol.WholeBody;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import reactor.core.publisher.Mono;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The body of a request for what is at some paths: a form, as the Hub's library in Python sends it, or JSON, as that in
 * JavaScript.
 */
final class PathsBody {
    /** Longer ones name more paths than a key of the backend can. */
    static final int MOST_BYTES = 8 << 10;

    /** The time for a body: until then its connection is in use. */
    static final Duration LONGEST = Duration.ofSeconds(10);

    private static final int USUAL_BYTES = 256;

    static final String PATHS = "paths";
    private static final String EXPAND = "expand";

    private PathsBody() {}

    /** Returns the parameters of the request; fails with an {@link S3Exception} if the body is none. */
    static Mono<List<Parameter>> read(RequestHeaders headers, UnverifiedRequestBody body) {
        boolean isJson = headers.first("content-type")
                .filter(type -> type.startsWith("application/json"))
                .isPresent();
        return WholeBody.read(
                        body.content(),
                        USUAL_BYTES,
                        PathsBody::take,
                        LONGEST,
                        () -> new S3Exception(S3ErrorCode.REQUEST_TIMEOUT))
                .map(bytes -> isJson ? ofJson(bytes) : ofForm(bytes));
    }

    private static void take(int held, int more) {
        if (held + more > MOST_BYTES) {
            throw refused("There are too many paths for one request.");
        }
    }

    private static List<Parameter> ofForm(byte[] form) {
        List<Parameter> given = PercentDecoder.decodeQuery(new String(form, StandardCharsets.ISO_8859_1));
        boolean isExpanded = given.stream()
                .anyMatch(field -> field.name().equals(EXPAND) && field.value().equalsIgnoreCase("true"));
        return parameters(
                given.stream()
                        .filter(field -> field.name().equals(PATHS))
                        .map(Parameter::value)
                        .toList(),
                isExpanded);
    }

    private static List<Parameter> ofJson(byte[] document) {
        try {
            JsonNode given = JsonMapper.shared().readTree(document);
            List<String> paths = new ArrayList<>();
            for (JsonNode path : given.path(PATHS)) {
                paths.add(path.asString(""));
            }
            return parameters(paths, given.path(EXPAND).asBoolean(false));
        } catch (JacksonException e) {
            throw refused("The body is no JSON.");
        }
    }

    /** Returns the same parameters for the same paths, however the body has them. */
    private static List<Parameter> parameters(List<String> paths, boolean isExpanded) {
        List<Parameter> parameters = new ArrayList<>();
        paths.stream()
                .filter(path -> !path.isEmpty())
                .distinct()
                .forEach(path -> parameters.add(new Parameter(PATHS, path)));
        if (parameters.isEmpty()) {
            throw refused("The body names no paths.");
        }
        if (isExpanded) {
            parameters.add(new Parameter(EXPAND, "true"));
        }
        return parameters;
    }

    private static S3Exception refused(String message) {
        return new S3Exception(S3ErrorCode.INVALID_REQUEST, message);
    }
}
