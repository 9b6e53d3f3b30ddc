package io.millrace.backend.s3;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.Kind;
import io.millrace.backend.spi.ObjectContent;
import io.millrace.backend.spi.ReadRequest;
import io.millrace.backend.spi.ReadRequest.Selection;
import io.millrace.backend.spi.SelectedHead;
import reactor.core.publisher.Mono;

/** Reads objects: HeadObject and GetObject. */
final class S3ObjectReader {
    private final S3Client client;
    private final Failures failures;

    S3ObjectReader(S3Client client) {
        this.client = client;
        this.failures = new Failures(client.origin());
    }

    Mono<SelectedHead> head(ReadRequest request) {
        return plainHead(request).onErrorResume(BackendException.class, failure -> sized(request, failure));
    }

    Mono<ObjectContent> open(ReadRequest request) {
        ReadCall call = ReadCall.of(request);
        Asked asked = Asked.read("GET", call);
        return client.subscribe(sdk -> Opening.of(sdk, call.get()))
                .map(opened -> content(call, asked, opened))
                .onErrorMap(failure -> failures.of(asked, failure))
                .onErrorResume(BackendException.class, failure -> sized(request, failure));
    }

    private Mono<SelectedHead> plainHead(ReadRequest request) {
        ReadCall call = ReadCall.of(request);
        Asked asked = Asked.read("HEAD", call);
        return client.call(sdk -> sdk.headObject(call.head()))
                .map(response -> new AnswerCheck(call, Answer.of(response.sdkHttpResponse()), true).check())
                .onErrorMap(failure -> failures.of(asked, failure));
    }

    /** A refused range should tell the size; where the server did not, a HEAD does. */
    private <T> Mono<T> sized(ReadRequest request, BackendException failure) {
        if (failure.kind() != Kind.INVALID_RANGE || failure.size().isPresent()) {
            return Mono.error(failure);
        }
        return plainHead(request.select(new Selection.Whole()))
                .<T>flatMap(told -> Mono.error(failure.ofObjectWithSize(told.head().size())))
                .onErrorMap(other -> other != failure && ((BackendException) other).kind() != Kind.INVALID_RANGE, other -> failure);
    }

    private ObjectContent content(ReadCall call, Asked asked, Opening.Opened opened) {
        SelectedHead selected;
        try {
            selected = new AnswerCheck(call, Answer.of(opened.head()), false).check();
        } catch (RuntimeException e) {
            opened.discard();
            throw e;
        }
        MeasuredBody body =
                new MeasuredBody(opened.body(), selected.length(), failure -> failures.inBody(asked, failure));
        return new ObjectContent(selected.head(), selected.range(), body);
    }
}
