package io.millrace.backend.s3;

import io.millrace.backend.s3.Asked.Purpose;
import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.Kind;
import io.millrace.backend.spi.BackendException.Words;
import io.millrace.backend.spi.HeaderList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import software.amazon.awssdk.awscore.exception.AwsErrorDetails;
import software.amazon.awssdk.awscore.exception.AwsServiceException;

/**
 * An answer that is an error: S3's status, code and message, and what its header tells of the object.
 *
 * @param code empty if the answer had no body to say it, as no answer to a HEAD has
 * @param size of the object, which a 416 may tell
 * @param advice what an operator should do about it; empty if nothing
 */
record ErrorAnswer(int status, String code, String message, HeaderList told, OptionalLong size, String advice) {
    /** Of all that S3 denies, this is about the object and not about who asks. */
    private static final String LOCKED = "object protected by object lock";

    /** Of a request of ours. */
    static ErrorAnswer of(RefusedException refused, Asked asked, Origin origin) {
        return of(refused.answer(), refused.text(), asked, origin);
    }

    /** Of a request of the SDK's. */
    static ErrorAnswer of(AwsServiceException error, Asked asked, Origin origin) {
        Optional<AwsErrorDetails> details = Optional.ofNullable(error.awsErrorDetails());
        Answer answer = details.map(AwsErrorDetails::sdkHttpResponse)
                .map(Answer::of)
                .orElseGet(() -> Answer.of(error.statusCode(), List.of()));
        ErrorText text = new ErrorText(
                details.map(AwsErrorDetails::errorCode).orElse(""),
                details.map(AwsErrorDetails::errorMessage).orElse(""),
                OptionalLong.empty());
        return of(answer, text, asked, origin);
    }

    private static ErrorAnswer of(Answer answer, ErrorText text, Asked asked, Origin origin) {
        return new ErrorAnswer(
                answer.status(),
                asked.head() ? codeOf(answer.status()) : text.code(),
                text.message(),
                answer.told(),
                answer.contentRange()
                        .map(range -> OptionalLong.of(range.size()))
                        .orElse(text.size()),
                advice(answer, origin));
    }

    BackendException asExceptionFor(Asked asked) {
        Kind kind = kind(asked);
        String said = "%d%s%s".formatted(status, spaced(code), message.isEmpty() ? "" : " (" + message + ")");
        BackendException failure =
                new BackendException(kind, said + remedy(kind, code) + advice).withHeaders(headers(kind, asked));
        if (kind == Kind.INVALID_RANGE && size.isPresent()) {
            failure = failure.ofObjectWithSize(size.getAsLong());
        }
        // A client would take words about a signature for words about its own.
        boolean ours = kind == Kind.ACCESS_DENIED
                || kind == Kind.CREDENTIALS_REJECTED
                || kind == Kind.UNEXPECTED
                || kind == Kind.BROKEN_ANSWER;
        return code.isEmpty() || ours ? failure : failure.inWords(new Words(status, code, message));
    }

    private HeaderList headers(Kind kind, Asked asked) {
        boolean untagged = kind == Kind.NOT_MODIFIED && told.first("etag").isEmpty();
        return asked.unmodifiedTag()
                .filter(tag -> untagged)
                .map(tag -> told.with("etag", tag))
                .orElse(told);
    }

    /** The one status without a kind of its own that a client should see as it is: of a HEAD on a delete marker. */
    private static String codeOf(int status) {
        return status == 405 ? "MethodNotAllowed" : "";
    }

    private Kind kind(Asked asked) {
        if (message.contains(LOCKED)) {
            return Kind.INVALID_STATE;
        }
        return ErrorKinds.ofCode(code).orElseGet(() -> switch (status) {
            case 304 -> asked.onUnmodified();
            case 401 -> Kind.CREDENTIALS_REJECTED;
            case 403 -> Kind.ACCESS_DENIED;
            case 404 -> isOfTheForwarded(asked) ? Kind.INVALID_REQUEST : asked.missing();
            case 412 -> asked.onFailed();
            case 416 -> asked.onRange();
            case 429, 503 -> Kind.THROTTLED;
            case 500, 502, 504 -> Kind.UNAVAILABLE;
            case 501 -> Kind.UNSUPPORTED;
            case 400, 405, 409 -> Kind.INVALID_REQUEST;
            // With a code, S3 has looked at the request and says what it does not like; without, anybody may have
            // answered.
            default -> isOfTheRequest(asked) ? Kind.INVALID_REQUEST : Kind.UNEXPECTED;
        });
    }

    /** With a code, S3 has looked at what a client sends and says what is wrong with it; without, anybody may have answered. */
    private boolean isOfTheRequest(Asked asked) {
        return asked.purpose() != Purpose.READ && status >= 400 && status < 500 && !code.isEmpty();
    }

    /** NoSuchLifecycleConfiguration and its like: neither key nor bucket is missing. */
    private boolean isOfTheForwarded(Asked asked) {
        return asked.purpose() == Purpose.FORWARD && !code.isEmpty();
    }

    private static String remedy(Kind kind, String code) {
        if (kind == Kind.ACCESS_DENIED) {
            return "; the server denies this to the backend's access-key: check its rights, and the policies there";
        }
        if (kind != Kind.CREDENTIALS_REJECTED) {
            return "";
        }
        return switch (code) {
            case "InvalidAccessKeyId", "XAdminUserNotFound" ->
                "; the server does not know the backend's access key: correct access-key, or where the keys come from if the file has none";
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

    /** A bucket of another region answers 301, 307 or 400 and names its region. */
    private static String advice(Answer answer, Origin origin) {
        int status = answer.status();
        Optional<String> region = answer.bucketRegion().filter(name -> !name.equals(origin.region()));
        if (region.isPresent()) {
            return "; the bucket is in region %s: write that as the backend's region".formatted(region.get());
        }
        return status >= 300 && status < 400 && status != 304
                ? "; a signed request does not follow to another place: check endpoint and region"
                : "";
    }

    private static String spaced(String text) {
        return text.isEmpty() ? "" : " " + text;
    }
}
