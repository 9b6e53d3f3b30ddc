package io.millrace.backend.s3.client;

import io.millrace.backend.http.HttpRequestSender;
import io.millrace.backend.http.HttpTimeouts;
import io.millrace.backend.http.OutgoingBody;
import io.millrace.backend.http.StreamingResponse;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Sinks;
import software.amazon.awssdk.http.SdkHttpFullResponse;
import software.amazon.awssdk.http.SdkHttpResponse;
import software.amazon.awssdk.http.async.AsyncExecuteRequest;
import software.amazon.awssdk.http.async.SdkAsyncHttpClient;
import software.amazon.awssdk.http.async.SdkAsyncHttpResponseHandler;
import software.amazon.awssdk.http.async.SdkHttpContentPublisher;

/** An HTTP client for the SDK over the connection pool and timeouts of all other requests. */
public final class SdkHttpAdapter implements SdkAsyncHttpClient {
    private final HttpRequestSender sender;
    private final HttpTimeouts deadlines;

    SdkHttpAdapter(HttpRequestSender sender, HttpTimeouts deadlines) {
        this.sender = sender;
        this.deadlines = deadlines;
    }

    @Override
    public CompletableFuture<Void> execute(AsyncExecuteRequest request) {
        CompletableFuture<Void> done = new CompletableFuture<>();
        SdkAsyncHttpResponseHandler handler = request.responseHandler();
        Disposable sending = sender.send(request.request(), body(request.requestContentPublisher()), deadlines)
                .subscribe(answer -> handOver(answer, handler, done), failure -> fail(failure, handler, done));
        CompletableFuture<Void> unused = done.whenComplete((nothing, failure) -> sending.dispose());
        return done;
    }

    @Override
    public String clientName() {
        return "ReactorNetty";
    }

    /** Does nothing: the connections belong to the backend. */
    @Override
    public void close() {}

    private static OutgoingBody body(SdkHttpContentPublisher content) {
        boolean none = content.contentLength().filter(length -> length == 0).isPresent();
        return none ? OutgoingBody.EMPTY : out -> out.send(Flux.from(content).map(Unpooled::wrappedBuffer));
    }

    private static void handOver(
            StreamingResponse answer, SdkAsyncHttpResponseHandler handler, CompletableFuture<Void> done) {
        if (done.isDone()) {
            answer.body().discard();
            return;
        }
        Sinks.Empty<Void> givenUp = Sinks.empty();
        CompletableFuture<Void> unused = done.whenComplete((nothing, failure) -> {
            if (done.isCancelled()) {
                givenUp.tryEmitEmpty();
            }
        });
        handler.onHeaders(head(answer));
        handler.onStream(answer.body()
                .map(SdkHttpAdapter::copy)
                .doOnComplete(() -> done.complete(null))
                .doOnError(failure -> fail(failure, handler, done))
                .doOnCancel(() -> done.cancel(false))
                .takeUntilOther(givenUp.asMono()));
    }

    private static void fail(Throwable failure, SdkAsyncHttpResponseHandler handler, CompletableFuture<Void> done) {
        handler.onError(failure);
        done.completeExceptionally(failure);
    }

    private static SdkHttpResponse head(StreamingResponse answer) {
        SdkHttpFullResponse.Builder head = SdkHttpFullResponse.builder().statusCode(answer.status());
        answer.headers().forEach(field -> head.appendHeader(field.getKey(), field.getValue()));
        return head.build();
    }

    private static ByteBuffer copy(ByteBuf piece) {
        byte[] bytes = ByteBufUtil.getBytes(piece);
        piece.release();
        return ByteBuffer.wrap(bytes);
    }
}
