package io.millrace.gateway.s3.protocol;

import io.millrace.auth.SignedRequest.Parameter;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.gateway.error.S3ErrorCode;
import io.millrace.gateway.error.S3Exception;
import io.millrace.gateway.s3.protocol.RequestTarget.Level;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Finds the operation of a request. A parameter or {@code x-amz-*} field that the operation does not understand could
 * change its meaning, so none is ignored unless it is known to be harmless. A name that another operation defines is
 * rejected; a name that no operation defines is returned with the operation.
 */
public final class Router {
    /** Parameters that {@code auth} reads, and those that have no effect on the server. In lower case. */
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
            // Signature version 2 signs these headers; botocore also puts them into the URL.
            "content-type",
            "content-md5",
            "x-id");

    private static final Map<Level, Map<String, List<S3Operation>>> CANDIDATES = candidates();

    private Router() {}

    /**
     * Returns the operation and the unknown fields of a request.
     *
     * @throws S3Exception MethodNotAllowed (405) for a method without a meaning at that level; NotImplemented (501) for
     *     a known name that the operation does not have; NoSuchUpload or InvalidArgument for ids that no backend issued
     */
    public static Route route(S3Request request) {
        Optional<S3Operation> found = find(request);
        if (found.isEmpty() && !mayBeUnknown(request)) {
            throw notAllowed(request.target().level());
        }
        List<UnknownField> unknown = unknown(request, found);
        if (!request.query().isEmpty()) {
            requirePlainIds(request);
        }
        if (unknown.isEmpty()) {
            return new Route(found.orElseThrow(), unknown);
        }
        if (request.target().level() == Level.SERVICE) {
            throw unknown.get(0).refused("it is about no bucket.");
        }
        boolean configures = found.filter(operation -> operation.role() == S3Operation.Role.CONFIGURATION)
                .isPresent();
        return new Route(configures ? found.orElseThrow() : S3Operation.UNKNOWN, unknown);
    }

    /** Returns the operation of a request without its unknown fields; empty if there is none. */
    public static Optional<S3Operation> baseOperation(S3Request request) {
        return find(request);
    }

    /** Returns the parameters of a request without those of signatures and those that replace headers. */
    public static List<Parameter> parameters(S3Request request) {
        return request.query().stream()
                .filter(parameter -> {
                    String lower = parameter.name().toLowerCase(Locale.ROOT);
                    return !PARAMETERS_OF_ALL.contains(lower) && !lower.startsWith("x-");
                })
                .toList();
    }

    /** Returns whether every operation understands a name, which is in lower case. */
    static boolean isOfAll(String name) {
        return PARAMETERS_OF_ALL.contains(name) || SupportedAmzHeaders.isOfAll(name);
    }

    /**
     * Returns whether a parameter, in lower case, has no effect: S3 ignores others than its own that begin with x-, and
     * operators of a service use them in their logs.
     */
    static boolean isIgnored(String parameter) {
        return parameter.startsWith("x-") && !parameter.startsWith("x-amz-");
    }

    /**
     * Returns whether an unknown parameter could select an operation: some methods have a meaning only with a
     * parameter.
     */
    private static boolean mayBeUnknown(S3Request request) {
        return !candidates(request).isEmpty()
                && request.query().stream().anyMatch(parameter -> !KnownFieldNames.contains(parameter.name()));
    }

    private static List<UnknownField> unknown(S3Request request, Optional<S3Operation> found) {
        List<UnknownField> unknown = List.of();
        for (Parameter parameter : request.query()) {
            if (parameter.name().isEmpty()) {
                throw new S3Exception(S3ErrorCode.INVALID_ARGUMENT, "A parameter has no name");
            }
            if (!isUnderstood(found, parameter.name())) {
                unknown = with(unknown, unknown(UnknownField.Kind.PARAMETER, parameter.name()));
            }
        }
        for (String name : request.headers().names()) {
            if (name.startsWith("x-amz-") && !understandsField(found, name)) {
                unknown = with(unknown, unknown(UnknownField.Kind.HEADER, name));
            }
        }
        return unknown;
    }

    /** Adds a field. Nearly all requests have none and allocate no list. */
    private static List<UnknownField> with(List<UnknownField> unknown, UnknownField another) {
        List<UnknownField> more = unknown.isEmpty() ? new ArrayList<>() : unknown;
        more.add(another);
        return more;
    }

    /** Returns an unknown field; rejects a known name, which is not forwarded. */
    private static UnknownField unknown(UnknownField.Kind kind, String name) {
        if (KnownFieldNames.contains(name)) {
            throw notImplemented(kind == UnknownField.Kind.HEADER ? "header" : "parameter", name);
        }
        return new UnknownField(kind, name);
    }

    private static void requirePlainIds(S3Request request) {
        if (isNoId(request, "uploadId")) {
            throw new S3Exception(S3ErrorCode.NO_SUCH_UPLOAD);
        }
        if (request.target().parameter("versionId").filter(String::isEmpty).isPresent()) {
            // A backend could read it as the current version.
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
        return !request.target()
                .parameter(parameter)
                .map(OpaqueIdValidator::isPlain)
                .orElse(true);
    }

    /** Returns the operation with the most selectors among those whose selectors are all present. */
    private static Optional<S3Operation> find(S3Request request) {
        S3Operation best = null;
        for (S3Operation operation : candidates(request)) {
            boolean better = best == null
                    || operation.selectors().size() > best.selectors().size();
            if (better && areAllPresent(request, operation.selectors())) {
                best = operation;
            }
        }
        return Optional.ofNullable(best);
    }

    private static boolean areAllPresent(S3Request request, Set<String> selectors) {
        for (String selector : selectors) {
            if (!isPresent(request, selector)) {
                return false;
            }
        }
        return true;
    }

    private static boolean isPresent(S3Request request, String selector) {
        return selector.startsWith("x-amz-")
                ? request.amzField(selector).isPresent()
                : request.target().parameter(selector).isPresent();
    }

    private static Map<Level, Map<String, List<S3Operation>>> candidates() {
        return Arrays.stream(S3Operation.values())
                .filter(operation -> operation.role() != S3Operation.Role.UNKNOWN)
                .collect(Collectors.groupingBy(S3Operation::level, Collectors.groupingBy(S3Operation::method)));
    }

    private static List<S3Operation> candidates(S3Request request) {
        return CANDIDATES.getOrDefault(request.target().level(), Map.of()).getOrDefault(request.method(), List.of());
    }

    private static boolean isUnderstood(Optional<S3Operation> operation, String parameter) {
        if (operation.map(found -> found.hasParameter(parameter)).orElse(parameter.equals("versionId"))) {
            return true;
        }
        String lower = parameter.toLowerCase(Locale.ROOT);
        return PARAMETERS_OF_ALL.contains(lower) || understandsField(operation, lower) || isIgnored(lower);
    }

    private static boolean understandsField(Optional<S3Operation> operation, String name) {
        return operation
                .map(found -> found.understandsField(name))
                .orElseGet(() -> SupportedAmzHeaders.understands(SupportedAmzHeaders.OWNED_BUCKET, name));
    }

    private static S3Exception notImplemented(String kind, String name) {
        return new S3Exception(
                        S3ErrorCode.NOT_IMPLEMENTED,
                        "A %s you provided implies functionality that is not implemented".formatted(kind))
                .with(kind.equals("header") ? "Header" : "Parameter", name);
    }

    /** Returns the error, with the methods that have a meaning there without a parameter. */
    private static S3Exception notAllowed(Level level) {
        String allowed = Arrays.stream(S3Operation.values())
                .filter(operation -> operation.level() == level
                        && operation.selectors().isEmpty()
                        && operation.role() != S3Operation.Role.UNKNOWN)
                .map(S3Operation::method)
                .distinct()
                .sorted()
                .collect(Collectors.joining(", "));
        return new S3Exception(S3ErrorCode.METHOD_NOT_ALLOWED).withHeaders(HeaderList.EMPTY.with("allow", allowed));
    }
}
