package io.millrace.gateway.s3.object;

import io.millrace.backend.spi.object.HeaderList;
import io.millrace.gateway.s3.gate.AuthorizedRequest;
import io.millrace.gateway.s3.protocol.ErrorResponses;
import io.millrace.gateway.s3.protocol.S3Response;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Sends white space while an operation takes minutes, as S3 does, because clients give up after a minute of silence. If
 * there is no result after {@link #INTERVAL}, it sends a 200 with the beginning of a document, then a blank at
 * intervals, then the result or an error. S3 clients look for errors in such responses.
 *
 * @see <a href="https://docs.aws.amazon.com/AmazonS3/latest/API/API_CompleteMultipartUpload.html">
 *     CompleteMultipartUpload: errors after a 200</a>
 */
final class WhitespaceKeepAliveResponse {
    private static final Duration INTERVAL = Duration.ofSeconds(10);
    private static final String DECLARATION = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>";

    private WhitespaceKeepAliveResponse() {}

    /** Returns the response to {@code work}, which continues if its client disconnects. */
    static Mono<S3Response> response(AuthorizedRequest authorized, Mono<S3Response> work) {
        return response(authorized, work, INTERVAL);
    }

    static Mono<S3Response> response(AuthorizedRequest authorized, Mono<S3Response> work, Duration interval) {
        return Mono.defer(() -> {
            Mono<S3Response> result = work.cache();
            Mono<S3Response> late = Mono.delay(interval)
                    .map(tick -> new S3Response(
                            200,
                            HeaderList.EMPTY.with("content-type", "application/xml"),
                            new S3Response.Chunked(pieces(authorized, result, interval), () -> {})));
            return Mono.firstWithSignal(result, late);
        });
    }

    private static Flux<ByteBuf> pieces(AuthorizedRequest authorized, Mono<S3Response> result, Duration pause) {
        Mono<ByteBuf> document = result.onErrorResume(failure -> Mono.just(error(authorized, failure)))
                .map(WhitespaceKeepAliveResponse::withoutDeclaration)
                .cache();
        // A client that takes nothing has blanks enough.
        Flux<ByteBuf> blanks =
                Flux.interval(pause).onBackpressureDrop().map(tick -> text(" ")).takeUntilOther(document);
        return Flux.concat(Mono.fromSupplier(() -> text(DECLARATION + "\n")), blanks, document);
    }

    private static S3Response error(AuthorizedRequest authorized, Throwable failure) {
        String id = authorized.request().requestId();
        return ErrorResponses.of(
                LateErrors.toS3(id, failure), authorized.request().path(), id);
    }

    private static ByteBuf withoutDeclaration(S3Response response) {
        ByteBuffer content = ((S3Response.Bytes) response.body()).content().duplicate();
        String document = StandardCharsets.UTF_8.decode(content).toString();
        int end = document.indexOf("?>");
        return text(end < 0 ? document : document.substring(end + 2));
    }

    private static ByteBuf text(String text) {
        return Unpooled.wrappedBuffer(text.getBytes(StandardCharsets.UTF_8));
    }
}
