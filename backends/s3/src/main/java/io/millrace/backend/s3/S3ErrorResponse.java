package io.millrace.backend.s3;

import io.millrace.backend.http.AcknowledgementCheck;
import io.millrace.backend.http.ObjectResponseHead;
import io.millrace.backend.http.RetryAfter;
import io.millrace.backend.http.UnlistedStatus;
import io.millrace.backend.s3.ErrorResponseContext.Purpose;
import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.BackendException.S3Error;
import io.millrace.backend.spi.object.HeaderList;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * An S3 error response: status, code and message, and its headers about the object.
 *
 * @param code empty if the response had no body, as every response to a HEAD
 * @param size of the object, which a 416 may contain
 * @param retryAfter the pause that the server asks for
 * @param isUnsigned whether the request had no signature, so that no credentials were rejected
 * @param isElsewhere whether the bucket is in another region than the backend's
 * @param advice for operators, appended to the message; may be empty
 */
record S3ErrorResponse(
        int status,
        String code,
        String message,
        HeaderList headers,
        OptionalLong size,
        Optional<Duration> retryAfter,
        boolean isUnsigned,
        boolean isElsewhere,
        String advice) {
    /** The message of an AccessDenied that is about the object, not about the principal. */
    private static final String LOCKED = "object protected by object lock";

    /** Converts an error response to the request of this context. */
    static S3ErrorResponse of(ErrorResponseException refused, ErrorResponseContext context, S3Endpoint origin) {
        ObjectResponseHead response = refused.head();
        S3ErrorBody text = refused.body();
        return new S3ErrorResponse(
                response.status(),
                context.head() ? codeOf(response.status()) : ErrorCodeMapping.toAmazons(text.code()),
                context.head() ? messageOf(response.status()) : text.message(),
                response.errorHeaders(),
                response.contentRange()
                        .map(range -> OptionalLong.of(range.size()))
                        .orElse(text.size()),
                refused.headers().first("retry-after").flatMap(field -> RetryAfter.parse(field, Instant.now())),
                origin.anonymous(),
                otherRegion(refused, origin).isPresent(),
                advice(refused, origin));
    }

    BackendException toException(ErrorResponseContext context) {
        FailureKind kind = kind(context);
        String said = "%d%s%s".formatted(status, spaced(code), message.isEmpty() ? "" : " (" + message + ")");
        BackendException failure =
                new BackendException(kind, said + remedy(kind) + advice).withHeaders(headersFor(kind, context));
        if (kind == FailureKind.INVALID_RANGE && size.isPresent()) {
            failure = failure.withObjectSize(size.getAsLong());
        }
        if (retryAfter.isPresent()) {
            failure = failure.withRetryAfter(retryAfter.get());
        }
        if (isThrottled()) {
            failure = failure.asUnprocessed();
        }
        // A client would take a message about a signature for one about its own.
        boolean ours = kind == FailureKind.ACCESS_DENIED
                || kind == FailureKind.CREDENTIALS_REJECTED
                || kind == FailureKind.UNEXPECTED
                || kind == FailureKind.INVALID_RESPONSE;
        return code.isEmpty() || ours ? failure : failure.withS3Error(new S3Error(status, code, message));
    }

    /** Returns whether the server itself refused the request; a plain 503 may come from a proxy that has sent it. */
    private boolean isThrottled() {
        return status == 429
                || ErrorCodeMapping.ofCode(code)
                        .filter(kind -> kind == FailureKind.THROTTLED)
                        .isPresent();
    }

    private HeaderList headersFor(FailureKind kind, ErrorResponseContext context) {
        boolean untagged =
                kind == FailureKind.NOT_MODIFIED && headers.first("etag").isEmpty();
        return context.unmodifiedTag()
                .filter(tag -> untagged)
                .map(tag -> headers.with("etag", tag))
                .orElse(headers);
    }

    /**
     * Returns the code of a status without its own kind that a client must see: of a delete marker, and of a loop of
     * gateways.
     */
    private static String codeOf(int status) {
        return switch (status) {
            case 405 -> "MethodNotAllowed";
            case 508 -> "LoopDetected";
            default -> "";
        };
    }

    /** Returns the message of a response to a HEAD, which has no body, where the status alone would not explain it. */
    private static String messageOf(int status) {
        return status == 508
                ? "This request has come back to a Millrace that it had passed: a backend leads to itself."
                : "";
    }

    private FailureKind kind(ErrorResponseContext context) {
        if (message.contains(LOCKED)) {
            return FailureKind.INVALID_STATE;
        }
        if (isOfTheRegion()) {
            return FailureKind.INVALID_RESPONSE;
        }
        return ErrorCodeMapping.ofCode(code).orElseGet(() -> switch (status) {
            case 304 -> context.notModifiedKind();
            case 401 -> isUnsigned ? FailureKind.ACCESS_DENIED : FailureKind.CREDENTIALS_REJECTED;
            case 403 -> FailureKind.ACCESS_DENIED;
            case 404 -> isOfTheForwarded(context) ? FailureKind.INVALID_REQUEST : context.notFoundKind();
            case 412 -> context.preconditionFailedKind();
            case 416 -> context.invalidRangeKind();
            case 429, 503 -> FailureKind.THROTTLED;
            case 408, 500, 502, 504 -> FailureKind.UNAVAILABLE;
            case 501 -> FailureKind.UNSUPPORTED;
            case 400, 405, 409 -> FailureKind.INVALID_REQUEST;
            // A code means that S3 evaluated the request; a response without one may come from a proxy.
            default -> isOfTheRequest(context) ? FailureKind.INVALID_REQUEST : UnlistedStatus.kind(status);
        });
    }

    /**
     * Returns whether the signature is refused for its region: others take the same credentials. A HEAD has no code.
     */
    private boolean isOfTheRegion() {
        return isElsewhere && status == 400 && (code.isEmpty() || code.equals("AuthorizationHeaderMalformed"));
    }

    /** Returns whether the error is about the client's request: only with a code has S3 evaluated it. */
    private boolean isOfTheRequest(ErrorResponseContext context) {
        return context.purpose() != Purpose.READ && status >= 400 && status < 500 && !code.isEmpty();
    }

    /** Returns whether a 404 is about something else than key or bucket: NoSuchLifecycleConfiguration, for instance. */
    private boolean isOfTheForwarded(ErrorResponseContext context) {
        return context.purpose() == Purpose.FORWARD && !code.isEmpty();
    }

    private String remedy(FailureKind kind) {
        if (kind == FailureKind.ACCESS_DENIED) {
            return isUnsigned
                    ? "; the server denies this to requests without a signature: give the backend an access-key, or"
                            + " make the bucket public there"
                    : "; the server denies this to the backend's access-key: check its permissions, and the policies"
                            + " there";
        }
        if (kind != FailureKind.CREDENTIALS_REJECTED) {
            return "";
        }
        return switch (code) {
            case "InvalidAccessKeyId", "XAdminUserNotFound" ->
                "; the server does not know the backend's access key: correct access-key, or where the keys come from"
                        + " if the file has none";
            case "SignatureDoesNotMatch" ->
                "; the backend's secret-key does not fit its access-key: correct secret-key, or region";
            case "RequestTimeTooSkewed", "RequestExpired" ->
                "; the clocks of this machine and of the server differ: set them, by NTP for instance";
            case "ExpiredToken", "InvalidToken", "TokenRefreshRequired" ->
                "; the backend's session-token has expired or is not valid: renew it together with access-key and"
                        + " secret-key";
            default -> "; the server rejects the backend's credentials: check access-key, secret-key and region";
        };
    }

    /**
     * Advises on wrong endpoints and regions: a bucket of another region responds with 301, 307 or 400 and its region.
     */
    private static String advice(ErrorResponseException refused, S3Endpoint origin) {
        int status = refused.head().status();
        String redirect = UnlistedStatus.advice(status, refused.headers());
        boolean isPage = refused.body().code().isEmpty() && AcknowledgementCheck.isPage(refused.headers());
        if (isPage) {
            return redirect.isEmpty() ? adviceOnPage(status) : redirect;
        }
        return otherRegion(refused, origin)
                .map("; the bucket is in region %s: write that as the backend's region"::formatted)
                .orElse(redirect.isEmpty() ? "" : redirect + " and region");
    }

    /** Proxies in front of any server have pages for what is temporary. */
    private static String adviceOnPage(int status) {
        return switch (status) {
            case 408 -> "; the server, or a proxy before it, waited too long for the request";
            case 429, 502, 503, 504 -> "";
            default -> "; the response is a web page and no error of S3: check the backend's endpoint";
        };
    }

    private static Optional<String> otherRegion(ErrorResponseException refused, S3Endpoint origin) {
        return refused.headers()
                .first("x-amz-bucket-region")
                .or(() -> refused.body().region())
                .filter(name -> !name.equals(origin.region()));
    }

    private static String spaced(String text) {
        return text.isEmpty() ? "" : " " + text;
    }
}
