package io.millrace.backend.s3;

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
 * A body that goes out once. What became of it decides what the end of the request means: a server that did not get the last
 * byte has written nothing, and a body that nobody began to read can go another way.
 *
 * <p>Asked from any thread.
 */
final class BodySender implements Outgoing {
    private final UploadBody body;
    private final Framing framing;
    private final Deadlines deadlines;
    private final Sinks.Empty<Void> sent = Sinks.empty();
    private volatile @Nullable BodyTransfer transfer;
    private volatile @Nullable Throwable failure;
    private volatile boolean whole;

    BodySender(UploadBody body, Framing framing, Deadlines deadlines) {
        this.body = body;
        this.framing = framing;
        this.deadlines = deadlines;
    }

    /** The body's pieces are subscribed to when the head is out. */
    @Override
    public Publisher<Void> over(NettyOutbound out) {
        NettyOutbound[] headed = {out};
        out.withConnection(connection -> headed[0] = out.then(new Mono<Void>() {
            @Override
            public void subscribe(CoreSubscriber<? super Void> outbound) {
                BodyTransfer begun = new BodyTransfer(BodySender.this, connection.channel(), outbound);
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
    public void answered() {
        BodyTransfer begun = transfer;
        if (begun != null) {
            begun.stop();
        }
    }

    /** Whether anybody has subscribed to the pieces. */
    boolean isBegun() {
        return transfer != null;
    }

    /** Whether the last byte is on its way, so that the server may have all of it. */
    boolean isWhole() {
        return whole;
    }

    /** What the pieces failed with. */
    Optional<Throwable> failure() {
        return Optional.ofNullable(failure);
    }

    void subscribe(CoreSubscriber<ByteBuf> reader) {
        body.pieces().subscribe(reader);
    }

    Framing framing() {
        return framing;
    }

    Deadlines deadlines() {
        return deadlines;
    }

    void failed(Throwable cause) {
        failure = cause;
    }

    void isOut() {
        whole = true;
        noMore();
    }

    /** Nothing more goes out, for whatever reason. */
    void noMore() {
        sent.tryEmitEmpty();
    }
}
