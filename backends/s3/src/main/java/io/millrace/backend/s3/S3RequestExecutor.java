package io.millrace.backend.s3;

import io.millrace.backend.http.AcknowledgementCheck;
import io.millrace.backend.http.BufferedResponse;
import io.millrace.backend.http.HttpRequestSender;
import io.millrace.backend.http.HttpTimeouts;
import io.millrace.backend.http.OutgoingRequestBody;
import io.millrace.backend.http.StreamingRequestBody;
import io.millrace.backend.http.StreamingResponse;
import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.BackendException.S3Error;
import io.millrace.backend.spi.object.HeaderList.HeaderField;
import io.millrace.backend.spi.object.ObjectKey;
import reactor.core.publisher.Mono;
import software.amazon.awssdk.identity.spi.AwsCredentialsIdentity;

/** Executes requests to the server: signs and sends them once, and checks the status. */
final class S3RequestExecutor {
    /** The largest accepted response: four times a page of 1,000 keys of 1,024 bytes, each byte percent-encoded. */
    static final int MAX_BYTES = 16 << 20;

    /** The largest accepted body of an error: Amazon's have some hundred bytes, proxies' some thousand. */
    private static final int MAX_ERROR_BYTES = 1 << 20;

    private static final String NUL_REFUSED = "A key with a NUL is not accepted";

    /** The time that the server may work on a request without a streamed body. */
    enum ProcessingTime {
        SHORT,
        /** Minutes: it copies, completes an upload, or does what the gateway does not know. */
        LONG
    }

    private final S3CredentialsSource credentials;
    private final S3RequestSigner signer;
    private final HttpRequestSender sender;
    private final HttpTimeouts deadlines;

    S3RequestExecutor(
            S3Endpoint origin, S3CredentialsSource credentials, HttpRequestSender sender, HttpTimeouts deadlines) {
        this.credentials = credentials;
        this.signer = new S3RequestSigner(origin);
        this.sender = sender;
        this.deadlines = deadlines;
    }

    /**
     * Sends a request and returns the successful response, whose body the subscriber owns; fails with a {@link
     * ErrorResponseException} for an error.
     */
    Mono<StreamingResponse> open(UnsignedRequest request) {
        return successful(request, OutgoingRequestBody.EMPTY, deadlines);
    }

    /**
     * Sends a request and returns the successful response with its whole body; fails with a {@link
     * ErrorResponseException} for an error, also for one in the body of a 200, as Amazon sends after the start of a
     * long operation.
     *
     * @param maxBytes the largest accepted body
     */
    Mono<BufferedResponse> exchange(UnsignedRequest request, ProcessingTime time, int maxBytes) {
        UnsignedRequest.RequestPayload.BytesPayload bytes =
                (UnsignedRequest.RequestPayload.BytesPayload) request.body();
        HttpTimeouts times = time == ProcessingTime.LONG ? deadlines.forLongOperation() : deadlines;
        return successful(request, OutgoingRequestBody.of(bytes.bytes()), times)
                .flatMap(response -> BufferedResponse.of(response, maxBytes, "the response"))
                .flatMap(S3RequestExecutor::unlessError);
    }

    /** Sends a request with a streamed body. */
    Mono<BufferedResponse> upload(UnsignedRequest request, StreamingRequestBody body) {
        return successful(request, body, deadlines)
                .flatMap(body::requireFullySent)
                .flatMap(response -> BufferedResponse.of(response, MAX_BYTES, "the response"))
                .map(AcknowledgementCheck::requireNoPage);
    }

    private Mono<StreamingResponse> successful(UnsignedRequest request, OutgoingRequestBody body, HttpTimeouts times) {
        if (request.key().filter(S3RequestExecutor::hasNul).isPresent()) {
            return Mono.error(invalid(NUL_REFUSED));
        }
        for (HeaderField field : request.headers().fields()) {
            if (isUnpackHeader(field.name())) {
                return Mono.error(invalid(
                        "Metadata that makes a server unpack the body to other keys is not accepted: " + field.name()));
            }
            if (field.name().equals("x-amz-copy-source") && field.value().contains("%00")) {
                return Mono.error(invalid(NUL_REFUSED));
            }
        }
        return credentials
                .identity()
                .flatMap(identity -> send(request, identity, body, times))
                .flatMap(response -> response.isSuccessful() ? Mono.just(response) : refused(response))
                .onErrorMap(ErrorResponseException.class, refused -> explain(request, refused));
    }

    /** MinIO unpacks the body of a write with such metadata as an archive, to keys that the archive names. */
    private static boolean isUnpackHeader(String field) {
        return field.startsWith("x-amz-meta-snowball-") || field.startsWith("x-amz-meta-minio-snowball-");
    }

    /** Servers over file systems have no such name, and some answer as if they had failed. */
    private static boolean hasNul(ObjectKey key) {
        return key.value().indexOf('\0') >= 0;
    }

    /** Returns the failure of a request that is not sent. */
    private static BackendException invalid(String message) {
        return new BackendException(FailureKind.INVALID_REQUEST, message)
                .withS3Error(new S3Error(400, "InvalidArgument", message))
                .asUnprocessed();
    }

    /**
     * A signature mismatch over header values that are not UTF-8, or have non-ASCII blanks, is the client's fault, not
     * that of the credentials.
     */
    private static Exception explain(UnsignedRequest request, ErrorResponseException refused) {
        boolean ofTheFields = refused.body().code().equals("SignatureDoesNotMatch")
                && SentAndSignedHeaders.of(request.headers()).isAmbiguous();
        return ofTheFields
                ? new BackendException(
                                FailureKind.INVALID_REQUEST,
                                "the server accepts no header values that are not UTF-8 or have non-ASCII blanks")
                        .withS3Error(new S3Error(
                                400,
                                "InvalidArgument",
                                "Header value cannot be represented: it is not UTF-8, or has non-ASCII blanks"))
                : refused;
    }

    private Mono<StreamingResponse> send(
            UnsignedRequest request, AwsCredentialsIdentity identity, OutgoingRequestBody body, HttpTimeouts times) {
        return sender.send(signer.sign(request, identity), body, times);
    }

    private static Mono<StreamingResponse> refused(StreamingResponse response) {
        return BufferedResponse.of(response, MAX_ERROR_BYTES, "the error response")
                .flatMap(reply -> Mono.error(ErrorResponseException.of(reply)));
    }

    private static Mono<BufferedResponse> unlessError(BufferedResponse reply) {
        S3ErrorBody text = S3ErrorBody.of(reply.bytes());
        return text.code().isEmpty() ? Mono.just(reply) : Mono.error(ErrorResponseException.afterSuccess(reply, text));
    }
}
