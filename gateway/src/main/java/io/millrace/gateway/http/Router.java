package io.millrace.gateway.http;

import io.millrace.auth.SignedRequest.Parameter;
import io.millrace.backend.spi.HeaderList;
import io.millrace.gateway.error.S3ErrorCode;
import io.millrace.gateway.error.S3Exception;
import io.millrace.gateway.http.RequestTarget.Level;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Takes a request to the operation it asks for. A parameter or {@code x-amz-*} field that the operation does not
 * understand could change its meaning, so it is refused; only those known to be harmless are passed over.
 */
public final class Router {
    /** Parameters of signatures, read by {@code auth}, and those that say nothing to the server. In lower case. */
    private static final Set<String> PARAMETERS_OF_ALL = Set.of(
            "x-amz-algorithm",
            "x-amz-credential",
            "x-amz-date",
            "x-amz-expires",
            "x-amz-signedheaders",
            "x-amz-signature",
            "x-amz-security-token",
            "x-amz-content-sha256",
            "awsaccesskeyid",
            "signature",
            "expires",
            // What version 2 signs of the body's fields; botocore puts them into the URL besides.
            "content-type",
            "content-md5",
            "x-id");

    private static final Map<String, List<S3Operation>> CANDIDATES = candidates();

    private Router() {}

    /**
     * The operation a request asks for.
     *
     * @throws S3Exception MethodNotAllowed (405) for a method that means nothing there; NotImplemented (501) if it asks for more
     *     than is understood; NoSuchUpload or InvalidArgument for ids that no backend made
     */
    public static S3Operation route(S3Request request) {
        S3Operation operation = find(request).orElseThrow(() -> notServed(request));
        for (Parameter parameter : request.query()) {
            if (!isUnderstood(operation, parameter.name())) {
                throw notImplemented("parameter", parameter.name());
            }
        }
        if (!request.query().isEmpty()) {
            requirePlainIds(request);
        }
        for (String name : request.headers().names()) {
            if (name.startsWith("x-amz-") && !operation.understandsField(name)) {
                throw notImplemented("header", name);
            }
        }
        return operation;
    }

    private static void requirePlainIds(S3Request request) {
        if (isNoId(request, "uploadId")) {
            throw new S3Exception(S3ErrorCode.NO_SUCH_UPLOAD);
        }
        if (request.target().parameter("versionId").filter(String::isEmpty).isPresent()) {
            // A backend could take it for the current version.
            throw new S3Exception(S3ErrorCode.INVALID_ARGUMENT, "Version id cannot be the empty string")
                    .with("ArgumentName", "versionId")
                    .with("ArgumentValue", "");
        }
        if (isNoId(request, "versionId")
                || isNoId(request, "version-id-marker")
                || isNoId(request, "upload-id-marker")) {
            throw new S3Exception(S3ErrorCode.INVALID_ARGUMENT, "Invalid version id specified");
        }
    }

    private static boolean isNoId(S3Request request, String parameter) {
        return !request.target().parameter(parameter).map(OpaqueId::isPlain).orElse(true);
    }

    /** Of those whose selectors are all there, the one with the most. */
    private static Optional<S3Operation> find(S3Request request) {
        S3Operation best = null;
        for (S3Operation operation :
                CANDIDATES.getOrDefault(request.method() + request.target().level(), List.of())) {
            boolean better = best == null
                    || operation.selectors().size() > best.selectors().size();
            if (better && operation.selectors().stream().allMatch(selector -> isThere(request, selector))) {
                best = operation;
            }
        }
        return Optional.ofNullable(best);
    }

    private static boolean isThere(S3Request request, String selector) {
        return selector.startsWith("x-amz-")
                ? request.amzField(selector).isPresent()
                : request.target().parameter(selector).isPresent();
    }

    private static Map<String, List<S3Operation>> candidates() {
        return Arrays.stream(S3Operation.values())
                .collect(Collectors.groupingBy(operation -> operation.method() + operation.level()));
    }

    private static boolean isUnderstood(S3Operation operation, String parameter) {
        if (operation.hasParameter(parameter)) {
            return true;
        }
        String lower = parameter.toLowerCase(Locale.ROOT);
        return PARAMETERS_OF_ALL.contains(lower)
                || operation.understandsField(lower)
                // S3 leaves other parameters beginning with x- to the operators of a service, for their logs.
                || (lower.startsWith("x-") && !lower.startsWith("x-amz-"));
    }

    private static S3Exception notImplemented(String kind, String name) {
        return new S3Exception(
                        S3ErrorCode.NOT_IMPLEMENTED,
                        "A %s you provided implies functionality that is not implemented".formatted(kind))
                .with(kind.equals("header") ? "Header" : "Parameter", name);
    }

    /** Some methods mean something only with a parameter: one that nobody knows may be such a one. */
    private static S3Exception notServed(S3Request request) {
        Level level = request.target().level();
        return CANDIDATES.containsKey(request.method() + level)
                ? request.query().stream()
                        .map(Parameter::name)
                        .filter(name -> !isKnown(level, name))
                        .findFirst()
                        .map(name -> notImplemented("parameter", name))
                        .orElseGet(() -> notAllowed(level))
                : notAllowed(level);
    }

    private static boolean isKnown(Level level, String parameter) {
        return Arrays.stream(S3Operation.values())
                .filter(operation -> operation.level() == level && !operation.hasParameter("*"))
                .anyMatch(operation -> isUnderstood(operation, parameter));
    }

    /** Names the methods that mean something there without a parameter. */
    private static S3Exception notAllowed(Level level) {
        String allowed = Arrays.stream(S3Operation.values())
                .filter(operation ->
                        operation.level() == level && operation.selectors().isEmpty())
                .map(S3Operation::method)
                .distinct()
                .sorted()
                .collect(Collectors.joining(", "));
        return new S3Exception(S3ErrorCode.METHOD_NOT_ALLOWED).withHeaders(HeaderList.EMPTY.with("allow", allowed));
    }
}
