package io.millrace.backend.s3;

import io.millrace.backend.http.LengthCheckedBody;
import io.millrace.backend.http.StreamingResponse;
import io.millrace.backend.s3.client.S3Client;
import io.millrace.backend.s3.request.S3ReadRequest;
import io.millrace.backend.s3.response.BackendExceptionMapper;
import io.millrace.backend.s3.response.ErrorContext;
import io.millrace.backend.s3.response.ReadResponseValidator;
import io.millrace.backend.s3.response.S3ResponseHead;
import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.HeadResult;
import io.millrace.backend.spi.ObjectContent;
import io.millrace.backend.spi.ReadRequest;
import io.millrace.backend.spi.ReadRequest.ByteSelection;
import reactor.core.publisher.Mono;
import software.amazon.awssdk.http.SdkHttpMethod;

/** Reads objects: HeadObject and GetObject. */
final class S3ObjectReader {
    private final S3Client client;
    private final BackendExceptionMapper failures;

    S3ObjectReader(S3Client client) {
        this.client = client;
        this.failures = new BackendExceptionMapper(client.endpoint());
    }

    Mono<HeadResult> head(ReadRequest request) {
        return plainHead(request).onErrorResume(BackendException.class, failure -> withObjectSize(request, failure));
    }

    Mono<ObjectContent> open(ReadRequest request) {
        S3ReadRequest call = S3ReadRequest.of(request);
        ErrorContext context = ErrorContext.read("GET", call);
        return client.open(call.toRequest(SdkHttpMethod.GET))
                .map(response -> content(call, context, response))
                .doOnDiscard(ObjectContent.class, ObjectContent::discard)
                .onErrorMap(failure -> failures.map(context, failure))
                .onErrorResume(BackendException.class, failure -> withObjectSize(request, failure));
    }

    private Mono<HeadResult> plainHead(ReadRequest request) {
        S3ReadRequest call = S3ReadRequest.of(request);
        ErrorContext context = ErrorContext.read("HEAD", call);
        return client.open(call.toRequest(SdkHttpMethod.HEAD))
                .flatMap(response -> response.body().drain().thenReturn(response))
                .map(response -> new ReadResponseValidator(call, head(response), true).validate())
                .onErrorMap(failure -> failures.map(context, failure));
    }

    private static S3ResponseHead head(StreamingResponse response) {
        return S3ResponseHead.of(response.status(), response.fields());
    }

    /**
     * Completes an INVALID_RANGE failure, which must contain the size and comes after the preconditions (RFC 9110, 13.2.2). If the
     * server did not send the size, or may not have evaluated the preconditions, a HEAD of the whole object decides.
     */
    private <T> Mono<T> withObjectSize(ReadRequest request, BackendException failure) {
        boolean isComplete =
                failure.objectSize().isPresent() && request.conditions().isEmpty();
        if (failure.kind() != FailureKind.INVALID_RANGE || isComplete) {
            return Mono.error(failure);
        }
        return plainHead(request.withSelection(new ByteSelection.WholeObject()))
                .map(head -> failure.withObjectSize(head.head().size()))
                .onErrorResume(BackendException.class, other -> Mono.just(isObject(other.kind()) ? other : failure))
                .flatMap(Mono::error);
    }

    private static boolean isObject(FailureKind kind) {
        return kind == FailureKind.NOT_MODIFIED
                || kind == FailureKind.PRECONDITION_FAILED
                || kind == FailureKind.VERSION_CHANGED;
    }

    private ObjectContent content(S3ReadRequest call, ErrorContext context, StreamingResponse response) {
        HeadResult selected;
        try {
            selected = new ReadResponseValidator(call, head(response), false).validate();
        } catch (BackendException unfit) {
            response.body().discard();
            throw unfit;
        }
        LengthCheckedBody measured = new LengthCheckedBody(
                response.body(), selected.length(), failure -> failures.mapBodyFailure(context, failure));
        return new ObjectContent(selected.head(), selected.range(), measured);
    }
}
