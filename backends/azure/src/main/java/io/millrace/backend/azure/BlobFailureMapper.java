package io.millrace.backend.azure;

import io.millrace.backend.http.RequestFailureMapper;
import io.millrace.backend.http.RetryAfter;
import io.millrace.backend.http.TransportFailures;
import io.millrace.backend.http.UnlistedStatus;
import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.BackendException.S3Error;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.HeaderList.HeaderField;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/** Maps failed requests to {@link BackendException}s whose messages name the backend, the request and the reason. */
final class BlobFailureMapper {
    private static final Set<String> OF_THE_OBJECT = Set.of("etag", "last-modified", "cache-control");

    private static final Pattern MILLISECONDS = Pattern.compile("[0-9]{1,9}");

    private final RequestFailureMapper failures;

    /** @param endpoint names the backend in messages */
    BlobFailureMapper(String endpoint) {
        this.failures = new RequestFailureMapper(endpoint);
    }

    /** Maps a failure of a request before its response headers were accepted. */
    BackendException map(BlobRequestContext context, Throwable failure) {
        BlobErrorException refused = TransportFailures.find(failure, BlobErrorException.class);
        return refused == null
                ? failures.map(context.description(), context.write(), failure)
                : failures.named(context.description(), ofResponse(context, refused));
    }

    /** Maps a failure in the middle of a response body. */
    BackendException mapBody(BlobRequestContext context, Throwable failure) {
        return failures.mapBody(context.description(), failure);
    }

    private static BackendException ofResponse(BlobRequestContext context, BlobErrorException refused) {
        Optional<BlobErrorCodeMapping> known = BlobErrorCodeMapping.of(refused.code());
        FailureKind kind = known.map(BlobErrorCodeMapping::kind).orElseGet(() -> ofStatus(context, refused));
        String text = refused.text();
        String message = "%d%s%s"
                .formatted(
                        refused.status(),
                        refused.code().isEmpty() ? "" : " " + refused.code(),
                        text.isEmpty() ? "" : " (" + text + ")");
        String advice = remedy(kind, refused) + UnlistedStatus.advice(refused.status(), refused.headers());
        BackendException failure = paused(
                new BackendException(kind, message + advice).withHeaders(headers(context, kind, refused)), refused);
        return known.filter(code -> !code.s3Code().isEmpty())
                .map(code -> failure.withS3Error(
                        new S3Error(code.s3Status(), code.s3Code(), text.isEmpty() ? refused.code() : text)))
                .orElse(failure);
    }

    /** Returns the failure with the pause that the service asks for. A busy service has not begun with the request. */
    private static BackendException paused(BackendException failure, BlobErrorException refused) {
        BackendException unprocessed = refused.code().equals("ServerBusy") ? failure.asUnprocessed() : failure;
        return milliseconds(refused.headers())
                .map(unprocessed::withRetryAfter)
                .orElseGet(() -> RetryAfter.addTo(unprocessed, refused.headers()));
    }

    private static Optional<Duration> milliseconds(HeaderList headers) {
        return headers.first("x-ms-retry-after-ms")
                .filter(text -> MILLISECONDS.matcher(text).matches())
                .map(text -> Duration.ofMillis(Long.parseLong(text)));
    }

    private static FailureKind ofStatus(BlobRequestContext context, BlobErrorException refused) {
        boolean evaluated = !refused.code().isEmpty();
        return switch (refused.status()) {
            case 304 -> context.notModified();
            case 401 -> FailureKind.CREDENTIALS_REJECTED;
            case 403 ->
                context.isOfAContainer() && !refused.isOfTheService()
                        ? FailureKind.INVALID_RESPONSE
                        : FailureKind.ACCESS_DENIED;
            case 404 ->
                context.isOfAContainer() || !refused.isOfTheService()
                        ? FailureKind.INVALID_RESPONSE
                        : context.notFound();
            case 412 -> context.conditionFailed();
            case 416 -> context.invalidRange();
            case 429, 503 -> FailureKind.THROTTLED;
            case 408, 500, 502, 504 -> FailureKind.UNAVAILABLE;
            case 501 -> FailureKind.UNSUPPORTED;
            case 400, 405, 409, 411, 413 -> FailureKind.INVALID_REQUEST;
            // A code means that the service evaluated the request; a response without one may come from a proxy.
            default ->
                evaluated && refused.status() >= 400 && refused.status() < 500
                        ? FailureKind.INVALID_REQUEST
                        : UnlistedStatus.kind(refused.status());
        };
    }

    private static HeaderList headers(BlobRequestContext context, FailureKind kind, BlobErrorException refused) {
        HeaderList headers = new HeaderList(refused.headers().fields().stream()
                .filter(field -> OF_THE_OBJECT.contains(field.name()))
                .map(field -> new HeaderField(field.name(), field.value()))
                .toList());
        boolean untagged =
                kind == FailureKind.NOT_MODIFIED && headers.first("etag").isEmpty();
        return context.unmodifiedTag()
                .filter(tag -> untagged)
                .map(tag -> headers.with("etag", tag))
                .orElse(headers);
    }

    private static String remedy(FailureKind kind, BlobErrorException refused) {
        String code = refused.code();
        if (kind == FailureKind.INVALID_RESPONSE && (refused.status() == 403 || refused.status() == 404)) {
            return "; each refusal of the Blob service has a request id, that of a missing container the code"
                    + " ContainerNotFound: check the backend's account and endpoint";
        }
        if (kind == FailureKind.ACCESS_DENIED) {
            return "; the account denies this to the backend's identity: it needs the role Storage Blob Data"
                    + " Contributor, or the SAS more permissions, and the account's firewall must let this machine in";
        }
        if (kind != FailureKind.CREDENTIALS_REJECTED) {
            return code.equals("SnapshotsPresent") ? "; delete the blob's snapshots first" : "";
        }
        return code.equals("KeyBasedAuthenticationNotPermitted")
                ? "; the account forbids keys: leave out account-key and give the machine an identity"
                : "; the service rejects the backend's credentials: check account, account-key, sas and the clock";
    }
}
