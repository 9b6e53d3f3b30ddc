package io.millrace.backend.hub;

import io.millrace.backend.http.ErrorStatusMapper;
import io.millrace.backend.http.RetryAfter;
import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.BackendException.S3Error;
import io.millrace.backend.spi.object.HeaderList;
import java.util.Locale;

/**
 * Maps an error response of the Hub, or of the servers that it redirects to, to the exception that the backend fails
 * with.
 */
final class HubErrorMapper {
    /** The header with the Hub's word for an error, which its client library goes by. */
    static final String ERROR_CODE = "x-error-code";

    private static final String MESSAGE = "x-error-message";

    private static final String UNKNOWN_REPOSITORY = "RepoNotFound";

    private static final ErrorStatusMapper STATUSES = new ErrorStatusMapper(
            "the Hub rejects the token, or wants one: correct the backend's token",
            "the Hub denies this: check what the backend's token may read");

    private HubErrorMapper() {}

    /**
     * Returns the failure that a response about one repository, other than a success, means. It has the Hub's word for
     * it as a header, unless that is a missing file.
     */
    static BackendException failure(int status, HeaderList fields, Credentials credentials) {
        String code = fields.first(ERROR_CODE)
                .orElse(status == 401 && !isAboutTheToken(fields, credentials) ? UNKNOWN_REPOSITORY : "");
        BackendException failure =
                !credentials.isShared() && isOfTheToken(status) ? ofOwnToken(status, code) : of(status, code);
        return RetryAfter.addTo(failure, fields);
    }

    /**
     * Returns the failure that an error to a list of repositories means, which the Hub refuses to no valid token. Any
     * web server has a 403 and a 404, but not the Hub's words. A 404 is of the kind {@link FailureKind#NO_SUCH_KEY},
     * because mirrors may serve files without having lists.
     *
     * @param said the response, for operators
     */
    static BackendException ofList(int status, HeaderList fields, String said) {
        BackendException failure = STATUSES.failure(status, HeaderList.EMPTY);
        boolean isOfTheHub =
                fields.first(ERROR_CODE).isPresent() || fields.first(MESSAGE).isPresent();
        if (!isOfTheHub && failure.kind() == FailureKind.CREDENTIALS_REJECTED) {
            failure = failure.withMessage(failure.getMessage() + ", or its url, if that is no Hub's");
        } else if (!isOfTheHub && !failure.kind().isTemporary()) {
            failure = status == 404 ? failure.withMessage(isNoHub(said)) : noHub(said);
        }
        return RetryAfter.addTo(failure, fields);
    }

    /** Returns whether a 401 tells neither that the operator's token is refused nor that the repository is missing. */
    static boolean isUnclear(int status, HeaderList fields, Credentials credentials) {
        return status == 401
                && credentials.isShared()
                && credentials.authorization().isPresent()
                && fields.first(ERROR_CODE).isEmpty()
                && fields.first(MESSAGE).isEmpty();
    }

    /**
     * Returns what an unclear refusal means.
     *
     * @param refused the failure if the token is meant
     * @param list the status of a list with the same token, which the Hub refuses to none that it takes
     */
    static BackendException explained(BackendException refused, int status, int list) {
        return switch (list) {
            case 200 -> of(status, UNKNOWN_REPOSITORY);
            case 401 -> refused;
            default -> refused.withMessage(refused.getMessage() + ", unless there is no such repository");
        };
    }

    /** Returns the failure that one means which a redirect of a list to another server causes: the Hub has none. */
    static BackendException ofRedirectedList(BackendException failure) {
        return failure.kind() == FailureKind.ACCESS_DENIED
                ? new BackendException(
                        FailureKind.INVALID_RESPONSE,
                        "%s; the Hub redirects no list: check the backend's url".formatted(failure.getMessage()))
                : failure;
    }

    /**
     * Returns the failure that a response means which no Hub gives to a list.
     *
     * @param said the response, for operators
     */
    static BackendException noHub(String said) {
        return new BackendException(FailureKind.INVALID_RESPONSE, isNoHub(said));
    }

    private static String isNoHub(String said) {
        return "no Hub: its response to a list of repositories is not the Hub's, but %s; check the backend's url"
                .formatted(said);
    }

    /**
     * Returns whether a 401 is about the token. To those without one the Hub also says 401, without a word of its own,
     * for a repository that does not exist or is private; its client library tells the two by this message. A mirror
     * may say nothing.
     */
    private static boolean isAboutTheToken(HeaderList fields, Credentials credentials) {
        String message = fields.first(MESSAGE).orElse("").toLowerCase(Locale.ROOT);
        return credentials.authorization().isPresent()
                && (message.isEmpty() || message.contains("credential") || message.contains("token"));
    }

    /**
     * Returns the failure that an error of a server means to which the Hub redirects for a file. Only the Hub knows
     * what exists and who may read it, so this is never an absence or a denial.
     */
    static BackendException ofStorage(int status, HeaderList fields) {
        FailureKind meant = ErrorStatusMapper.kind(status);
        FailureKind kind = meant.isTemporary() ? meant : FailureKind.INVALID_RESPONSE;
        return RetryAfter.addTo(
                new BackendException(kind, status + " from the server that the Hub redirects to for this file"),
                fields);
    }

    private static boolean isOfTheToken(int status) {
        return status == 401 || status == 403 || status == 429;
    }

    /** A client's own token that is refused says nothing of the backend, whose other readers must not notice. */
    private static BackendException ofOwnToken(int status, String code) {
        String message = "The Hub refuses the token that was sent, or it may not do this now.";
        BackendException failure = new BackendException(
                        FailureKind.INVALID_REQUEST, status + " to a client's own token")
                .withS3Error(new S3Error(status, status == 429 ? "SlowDown" : "AccessDenied", message));
        return code.isEmpty() ? failure : failure.withHeaders(HeaderList.EMPTY.with(ERROR_CODE, code));
    }

    private static BackendException of(int status, String code) {
        return switch (code) {
            case "EntryNotFound" -> new BackendException(FailureKind.NO_SUCH_KEY, status + ": no such file");
            case "RevisionNotFound" ->
                new BackendException(FailureKind.NO_SUCH_KEY, status + ": no such revision")
                        .withHeaders(HeaderList.EMPTY.with(ERROR_CODE, code));
            case UNKNOWN_REPOSITORY ->
                new BackendException(
                                FailureKind.NO_SUCH_KEY,
                                status + ": no such repository, or a private one that the backend's token may not read")
                        .withHeaders(HeaderList.EMPTY.with(ERROR_CODE, code));
            case "GatedRepo" ->
                new BackendException(
                                FailureKind.ACCESS_DENIED,
                                status
                                        + ": the repository is gated, and the token is missing or was not granted"
                                        + " access: ask for it on the page of the repository, and set the backend's"
                                        + " token")
                        .withHeaders(HeaderList.EMPTY.with(ERROR_CODE, code));
            default -> STATUSES.failure(status, HeaderList.EMPTY);
        };
    }
}
