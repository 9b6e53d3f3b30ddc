package io.millrace.backend.s3;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.Kind;
import io.millrace.backend.spi.ObjectContent;
import io.millrace.backend.spi.ReadRequest;
import io.millrace.backend.spi.ReadRequest.Selection;
import io.millrace.backend.spi.SelectedHead;
import java.nio.ByteBuffer;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Mono;
import software.amazon.awssdk.services.s3.S3AsyncClient;

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
        return client.subscribe(sdk -> Opening.of(sdk, call, (head, body) -> content(call, asked, head, body)))
                .onErrorMap(failure -> failures.of(asked, failure))
                .onErrorResume(BackendException.class, failure -> whole(request, failure));
    }

    private Mono<SelectedHead> plainHead(ReadRequest request) {
        ReadCall call = ReadCall.of(request);
        Asked asked = Asked.read("HEAD", call);
        return client.subscribe(sdk -> head(sdk, call))
                .map(head -> new AnswerCheck(call, head, true).check())
                .onErrorMap(failure -> failures.of(asked, failure));
    }

    private static Mono<Answer> head(S3AsyncClient sdk, ReadCall call) {
        RawHead head = new RawHead();
        return Mono.fromFuture(() -> sdk.headObject(call.head(head))).map(empty -> head.answer());
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

    private ObjectContent content(ReadCall call, Asked asked, Answer head, Publisher<ByteBuffer> body) {
        SelectedHead selected = new AnswerCheck(call, head, false).check();
        MeasuredBody measured = new MeasuredBody(body, selected.length(), failure -> failures.inBody(asked, failure));
        return new ObjectContent(selected.head(), selected.range(), measured);
    }
}
