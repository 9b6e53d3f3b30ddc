package io.millrace.gateway.http;

import io.millrace.auth.SignedRequest.Parameter;
import io.millrace.gateway.error.S3ErrorCode;
import io.millrace.gateway.error.S3Exception;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

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
            "x-id");

    /** Fields read by {@code auth} or by operations, and those that say nothing to the server (docs/s3-compatibility.md). */
    private static final Set<String> AMZ_FIELDS = Set.of(
            "x-amz-date",
            "x-amz-content-sha256",
            "x-amz-security-token",
            "x-amz-checksum-mode",
            "x-amz-user-agent",
            "x-amz-api-version",
            "x-amz-te",
            // These speak of the request's body, and a read has none; the Java SDK sends them all the same.
            "x-amz-sdk-checksum-algorithm",
            "x-amz-checksum-crc32",
            "x-amz-checksum-crc32c",
            "x-amz-checksum-crc64nvme",
            "x-amz-checksum-sha1",
            "x-amz-checksum-sha256",
            "x-amz-request-payer",
            "x-amz-optional-object-attributes");

    private Router() {}

    /**
     * The operation a request asks for.
     *
     * @throws S3Exception NotImplemented (501) if it is none that is served, or asks for more than is understood
     */
    public static S3Operation route(S3Request request) {
        S3Operation operation = find(request)
                .orElseThrow(() -> new S3Exception(
                        S3ErrorCode.NOT_IMPLEMENTED, "This operation is not implemented: " + describe(request)));
        for (Parameter parameter : request.query()) {
            if (!isUnderstood(operation, parameter.name())) {
                throw notImplemented("parameter", parameter.name());
            }
        }
        for (String name : request.headers().names()) {
            if (name.startsWith("x-amz-") && !AMZ_FIELDS.contains(name)) {
                throw notImplemented("header", name);
            }
        }
        return operation;
    }

    private static Optional<S3Operation> find(S3Request request) {
        S3Operation plain = null;
        for (S3Operation operation : S3Operation.values()) {
            if (!operation.method().equals(request.method())
                    || operation.level() != request.target().level()) {
                continue;
            }
            if (operation.selector().isEmpty()) {
                plain = operation;
            } else if (request.target().parameter(operation.selector().get()).isPresent()) {
                return Optional.of(operation);
            }
        }
        return Optional.ofNullable(plain);
    }

    private static boolean isUnderstood(S3Operation operation, String parameter) {
        if (operation.parameters().contains(parameter)) {
            return true;
        }
        String lower = parameter.toLowerCase(Locale.ROOT);
        return PARAMETERS_OF_ALL.contains(lower)
                || AMZ_FIELDS.contains(lower)
                // S3 leaves other parameters beginning with x- to the operators of a service, for their logs.
                || (lower.startsWith("x-") && !lower.startsWith("x-amz-"));
    }

    private static S3Exception notImplemented(String kind, String name) {
        return new S3Exception(
                        S3ErrorCode.NOT_IMPLEMENTED,
                        "A %s you provided implies functionality that is not implemented".formatted(kind))
                .with(kind.equals("header") ? "Header" : "Parameter", name);
    }

    private static String describe(S3Request request) {
        return request.method() + " on the " + request.target().level().name().toLowerCase(Locale.ROOT);
    }
}
