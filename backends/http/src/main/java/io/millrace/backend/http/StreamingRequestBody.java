package io.millrace.backend.http;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.UploadBody;
import io.netty.buffer.ByteBuf;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.netty.NettyOutbound;

/**
 * A request body that is streamed once and records how much was sent, which tells whether the request can be repeated.
 * A server that did not get the last byte has written nothing, and a body that was not started can be sent again.
 *
 * <p>Thread-safe.
 */
public final class StreamingRequestBody implements OutgoingRequestBody {
    private final UploadBody body;
    private final BodyFramer framing;
    private final HttpTimeouts deadlines;
    private final Sinks.Empty<Void> sent = Sinks.empty();
    private volatile @Nullable RequestBodyWriter transfer;
    private volatile @Nullable Throwable failure;
    private volatile boolean fullySent;

    public StreamingRequestBody(UploadBody body, BodyFramer framing, HttpTimeouts deadlines) {
        this.body = body;
        this.framing = framing;
        this.deadlines = deadlines;
    }

    /** Subscribes to the body after the request headers are sent. */
    @Override
    public Publisher<Void> writeTo(NettyOutbound out) {
        NettyOutbound[] headed = {out};
        out.withConnection(connection -> headed[0] = out.then(new Mono<Void>() {
            @Override
            public void subscribe(CoreSubscriber<? super Void> outbound) {
                RequestBodyWriter begun =
                        new RequestBodyWriter(StreamingRequestBody.this, connection.channel(), outbound);
                transfer = begun;
                begun.start();
            }
        }));
        return headed[0];
    }

    @Override
    public Mono<Void> sent() {
        return sent.asMono();
    }

    @Override
    public void responseStarted() {
        RequestBodyWriter begun = transfer;
        if (begun != null) {
            begun.stop();
        }
    }

    /**
     * Returns the response; fails if it came before the last byte was sent: whatever the server has written, it is not
     * the whole body.
     */
    public Mono<StreamingResponse> requireFullySent(StreamingResponse response) {
        if (fullySent) {
            return Mono.just(response);
        }
        response.body().discard();
        return Mono.error(new BackendException(
                FailureKind.INVALID_RESPONSE, "status %d before the body was sent".formatted(response.status())));
    }

    /** Returns the failure of the body's publisher. */
    public Optional<Throwable> failure() {
        return Optional.ofNullable(failure);
    }

    void subscribe(CoreSubscriber<ByteBuf> reader) {
        body.pieces().subscribe(reader);
    }

    public BodyFramer framing() {
        return framing;
    }

    HttpTimeouts deadlines() {
        return deadlines;
    }

    void failed(Throwable cause) {
        failure = cause;
    }

    void completed() {
        fullySent = true;
        ended();
    }

    /** Signals that nothing more is sent, for whatever reason. */
    void ended() {
        sent.tryEmitEmpty();
    }
}
