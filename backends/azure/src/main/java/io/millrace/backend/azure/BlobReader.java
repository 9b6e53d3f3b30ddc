package io.millrace.backend.azure;

import io.millrace.backend.http.LengthCheckedBody;
import io.millrace.backend.http.ObjectResponseHead;
import io.millrace.backend.http.ReadResponseValidator;
import io.millrace.backend.http.SendableReadRequest;
import io.millrace.backend.http.StreamingResponse;
import io.millrace.backend.http.UnsatisfiableRangeErrors;
import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.HeadResult;
import io.millrace.backend.spi.ObjectContent;
import io.millrace.backend.spi.ObjectReader;
import io.millrace.backend.spi.ReadRequest;
import io.millrace.backend.spi.ReadRequest.ByteSelection;
import io.millrace.backend.spi.object.ByteRange;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.backend.spi.object.ObjectVersion;
import io.millrace.backend.spi.object.RangeSpec;
import io.netty.buffer.ByteBuf;
import java.util.function.Predicate;
import reactor.core.Exceptions;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.util.retry.Retry;

/** Reads objects: Get Blob and Get Blob Properties. */
record BlobReader(BlobClient client) implements ObjectReader {
    /** The most times that a suffix is resolved anew because the object was replaced in between. */
    private static final int SUFFIX_ATTEMPTS = 3;

    @Override
    public Mono<HeadResult> head(ReadRequest request) {
        return UnsatisfiableRangeErrors.completed(plainHead(request), request, this::plainHead);
    }

    @Override
    public Mono<ObjectContent> open(ReadRequest request) {
        return request.selection() instanceof ByteSelection.RangeSelection range
                        && range.spec() instanceof RangeSpec.Suffix suffix
                ? openSuffix(request, suffix)
                : openRange(request);
    }

    private Mono<HeadResult> plainHead(ReadRequest request) {
        SendableReadRequest read = SendableReadRequest.of(request);
        BlobRequestContext context = BlobRequestContext.read("HEAD", read);
        return Mono.defer(() -> client.open(request("HEAD", read)))
                .flatMap(response -> response.body().drain().thenReturn(response))
                .map(response -> new ReadResponseValidator(request, head(response), true).validate())
                .onErrorMap(failure -> client.failures().map(context, failure))
                .onErrorResume(BackendException.class, failure -> orMissing(read, failure));
    }

    private Mono<ObjectContent> openRange(ReadRequest request) {
        SendableReadRequest read = SendableReadRequest.of(request);
        BlobRequestContext context = BlobRequestContext.read("GET", read);
        return Mono.defer(() -> client.open(ranged(request("GET", read), read)))
                .map(response -> content(request, context, response))
                .doOnDiscard(ObjectContent.class, ObjectContent::discard)
                .onErrorMap(failure -> client.failures().map(context, failure))
                .onErrorResume(BackendException.class, failure -> this.<ObjectContent>orMissing(read, failure))
                .transform(opened -> UnsatisfiableRangeErrors.completed(opened, request, this::plainHead));
    }

    /** A 412 may also mean that there is no object. */
    private <T> Mono<T> orMissing(SendableReadRequest read, BackendException failure) {
        boolean mayBeMissing = read.sendsIfMatch()
                && (failure.kind() == FailureKind.VERSION_CHANGED || failure.kind() == FailureKind.PRECONDITION_FAILED);
        return mayBeMissing ? orMissing(read.request().object(), failure) : Mono.error(failure);
    }

    /** Fails with NO_SUCH_KEY if there is no such blob; otherwise as before. */
    <T> Mono<T> orMissing(ObjectRef object, BackendException failure) {
        return plainHead(ReadRequest.of(object))
                .<BackendException>map(found -> failure)
                .onErrorResume(
                        BackendException.class,
                        other -> Mono.just(other.kind() == FailureKind.NO_SUCH_KEY ? other : failure))
                .flatMap(Mono::error);
    }

    /** Azure knows no suffixes: they are resolved with the size of the required version, or else of the current one. */
    private Mono<ObjectContent> openSuffix(ReadRequest request, RangeSpec.Suffix suffix) {
        return Mono.defer(() -> Mono.justOrEmpty(request.requiredVersion())
                        .filter(version -> suffix.resolve(version.size()).isPresent())
                        .switchIfEmpty(Mono.defer(
                                () -> head(request).map(head -> head.head().version())))
                        .flatMap(version -> openRange(resolved(request, suffix, version))))
                .retryWhen(Retry.max(SUFFIX_ATTEMPTS - 1).filter(replacedMeanwhile(request)))
                .onErrorMap(Exceptions::isRetryExhausted, Throwable::getCause);
    }

    private static ReadRequest resolved(ReadRequest request, RangeSpec.Suffix suffix, ObjectVersion version) {
        ByteRange range = suffix.resolve(version.size()).orElseThrow();
        ReadRequest exact = request.withSelection(
                new ByteSelection.RangeSelection(new RangeSpec.Bounded(range.first(), range.last())));
        return version.hasStrongValidator() ? exact.requireVersion(version) : exact;
    }

    private static Predicate<Throwable> replacedMeanwhile(ReadRequest request) {
        return failure -> request.requiredVersion().isEmpty()
                && failure instanceof BackendException backend
                && backend.kind() == FailureKind.VERSION_CHANGED;
    }

    private static BlobRequest request(String method, SendableReadRequest read) {
        BlobNameRules.requireReadable(read.request().object());
        return BlobRequest.to(method, read.request().object()).withHeaders(read.conditions());
    }

    private static BlobRequest ranged(BlobRequest request, SendableReadRequest read) {
        return read.range()
                .map(range -> request.withHeader("x-ms-range", range))
                .orElse(request);
    }

    private ObjectContent content(ReadRequest request, BlobRequestContext context, StreamingResponse response) {
        HeadResult selected;
        try {
            requireBytes(response);
            selected = new ReadResponseValidator(request, head(response), false).validate();
        } catch (BackendException unfit) {
            response.body().discard();
            throw unfit;
        }
        Flux<ByteBuf> measured = LengthCheckedBody.of(
                response.body(), selected.length(), failure -> client.failures().mapBody(context, failure));
        return new ObjectContent(selected.head(), selected.range(), measured);
    }

    /** Some servers respond with no bytes where the range begins after the last one. */
    private static void requireBytes(StreamingResponse response) {
        if (response.status() == 206 && "0".equals(response.headers().get("content-length"))) {
            throw new BackendException(FailureKind.INVALID_RANGE, "the range selects nothing");
        }
    }

    private static ObjectResponseHead head(StreamingResponse response) {
        if ("pending".equals(response.headers().get("x-ms-copy-status"))) {
            throw new BackendException(FailureKind.UNAVAILABLE, "the blob is the target of a copy that has not ended");
        }
        return ObjectResponseHead.of(response.status(), BlobHeaderMapper.toS3(response.fields()))
                .requireTag();
    }
}
