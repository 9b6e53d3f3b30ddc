package io.millrace.backend.gcs;

import io.millrace.backend.http.RequestFailureMapper;
import io.millrace.backend.http.RetryAfter;
import io.millrace.backend.http.TransportFailures;
import io.millrace.backend.http.UnlistedStatus;
import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.BackendException.S3Error;
import java.util.Set;

/** Maps failed requests to {@link BackendException}s whose messages name the backend, the operation and the reason. */
final class GcsErrorMapper {
    /** Reasons of a 403 that mean too many requests. */
    private static final Set<String> THROTTLING_REASONS =
            Set.of("rateLimitExceeded", "userRateLimitExceeded", "quotaExceeded", "dailyLimitExceeded");

    private final RequestFailureMapper failures;

    GcsErrorMapper(GcsServerAddress endpoint) {
        this.failures = new RequestFailureMapper(endpoint.toString());
    }

    /** Maps a failure before the response headers were accepted. */
    BackendException map(GcsFailureContext operation, Throwable failure) {
        GcsErrorException refused = TransportFailures.find(failure, GcsErrorException.class);
        return refused == null
                ? failures.map(operation.description(), operation.write(), failure)
                : failures.named(operation.description(), refusal(operation, refused));
    }

    /** Maps a failure in the middle of a response body. */
    BackendException mapBodyFailure(GcsFailureContext operation, Throwable failure) {
        return failures.mapBody(operation.description(), failure);
    }

    private static BackendException refusal(GcsFailureContext operation, GcsErrorException refused) {
        FailureKind kind = kind(operation, refused);
        String words = refused.words().isEmpty() ? "" : " " + refused.words();
        String advice = remedy(kind) + UnlistedStatus.advice(refused.status(), refused.headers());
        BackendException failure = new BackendException(
                kind, "status %d %s%s%s".formatted(refused.status(), refused.reason(), words, advice));
        BackendException known = kind == FailureKind.THROTTLED ? failure.asUnprocessed() : failure;
        BackendException paused = RetryAfter.addTo(known, refused.headers());
        return kind == FailureKind.INVALID_REQUEST ? paused.withS3Error(s3Error(refused)) : paused;
    }

    private static FailureKind kind(GcsFailureContext operation, GcsErrorException refused) {
        int status = refused.status();
        return switch (status) {
            case 400, 405, 409, 411, 413 -> FailureKind.INVALID_REQUEST;
            case 401 -> refused.isOfStranger() ? FailureKind.ACCESS_DENIED : FailureKind.CREDENTIALS_REJECTED;
            case 403 ->
                THROTTLING_REASONS.contains(refused.reason()) ? FailureKind.THROTTLED : FailureKind.ACCESS_DENIED;
            case 404 -> refused.isAboutBucket().orElse(false) ? FailureKind.NO_SUCH_BUCKET : operation.notFound();
            case 500, 502, 503, 504 -> FailureKind.UNAVAILABLE;
            case 412 -> operation.preconditionFailed();
            case 416 -> FailureKind.INVALID_RANGE;
            case 429 -> FailureKind.THROTTLED;
            case 501 -> FailureKind.UNSUPPORTED;
            default -> UnlistedStatus.kind(status);
        };
    }

    private static S3Error s3Error(GcsErrorException refused) {
        String words = refused.words();
        return new S3Error(
                refused.status(),
                s3Code(refused.status(), words),
                words.isEmpty() ? "The server refuses the request." : words);
    }

    private static String s3Code(int status, String words) {
        if (status == 409) {
            return "OperationAborted";
        }
        if (words.startsWith("Invalid bucket name")) {
            return "InvalidBucketName";
        }
        boolean isDigest = words.contains("MD5") || words.contains("CRC32C") || words.contains("hash");
        return isDigest ? "BadDigest" : "InvalidRequest";
    }

    private static String remedy(FailureKind kind) {
        return switch (kind) {
            case ACCESS_DENIED ->
                "; the server denies this to the backend's credentials: check the roles of their account";
            case CREDENTIALS_REJECTED ->
                "; the server rejects the backend's access token: check credentials-file, or the application default"
                        + " credentials";
            default -> "";
        };
    }
}
