package io.millrace.backend.s3;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.Kind;
import io.millrace.backend.spi.ObjectContent;
import io.millrace.backend.spi.ReadRequest;
import io.millrace.backend.spi.ReadRequest.Selection;
import io.millrace.backend.spi.SelectedHead;
import reactor.core.publisher.Mono;
import software.amazon.awssdk.http.SdkHttpMethod;

/** Reads objects: HeadObject and GetObject. */
final class S3ObjectReader {
    private final S3Client client;
    private final Failures failures;

    S3ObjectReader(S3Client client) {
        this.client = client;
        this.failures = new Failures(client.origin());
    }

    Mono<SelectedHead> head(ReadRequest request) {
        return plainHead(request).onErrorResume(BackendException.class, failure -> whole(request, failure));
    }

    Mono<ObjectContent> open(ReadRequest request) {
        ReadCall call = ReadCall.of(request);
        Asked asked = Asked.read("GET", call);
        return client.open(call.by(SdkHttpMethod.GET))
                .map(answer -> content(call, asked, answer))
                .doOnDiscard(ObjectContent.class, ObjectContent::discard)
                .onErrorMap(failure -> failures.of(asked, failure))
                .onErrorResume(BackendException.class, failure -> whole(request, failure));
    }

    private Mono<SelectedHead> plainHead(ReadRequest request) {
        ReadCall call = ReadCall.of(request);
        Asked asked = Asked.read("HEAD", call);
        return client.open(call.by(SdkHttpMethod.HEAD))
                .flatMap(answer -> answer.body().drain().thenReturn(answer))
                .map(answer -> new AnswerCheck(call, head(answer), true).check())
                .onErrorMap(failure -> failures.of(asked, failure));
    }

    private static Answer head(WireAnswer answer) {
        return Answer.of(answer.status(), answer.fields());
    }

    /**
     * A refused range should tell the size, and comes behind the preconditions (RFC 9110, 13.2.2). Where the server did not
     * say the one, or may not have looked at the other, a HEAD of the whole object tells.
     */
    private <T> Mono<T> whole(ReadRequest request, BackendException failure) {
        boolean told = failure.size().isPresent() && request.conditions().isEmpty();
        if (failure.kind() != Kind.INVALID_RANGE || told) {
            return Mono.error(failure);
        }
        return plainHead(request.select(new Selection.Whole()))
                .map(head -> failure.ofObjectWithSize(head.head().size()))
                .onErrorResume(BackendException.class, other -> Mono.just(isAnswer(other.kind()) ? other : failure))
                .flatMap(Mono::error);
    }

    private static boolean isAnswer(Kind kind) {
        return kind == Kind.NOT_MODIFIED || kind == Kind.PRECONDITION_FAILED || kind == Kind.VERSION_CHANGED;
    }

    private ObjectContent content(ReadCall call, Asked asked, WireAnswer answer) {
        SelectedHead selected;
        try {
            selected = new AnswerCheck(call, head(answer), false).check();
        } catch (BackendException unfit) {
            answer.body().discard();
            throw unfit;
        }
        MeasuredBody measured =
                new MeasuredBody(answer.body(), selected.length(), failure -> failures.inBody(asked, failure));
        return new ObjectContent(selected.head(), selected.range(), measured);
    }
}
