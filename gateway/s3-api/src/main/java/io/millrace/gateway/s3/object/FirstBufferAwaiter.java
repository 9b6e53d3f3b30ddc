package io.millrace.gateway.s3.object;

import io.netty.buffer.ByteBuf;
import io.netty.util.ReferenceCounted;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.MonoSink;
import reactor.util.context.Context;

/**
 * Waits for the first piece of a body before its head is sent: until then a failure is an S3 error, behind it a broken
 * connection. Signals of the source come one at a time; requests and {@link #giveUp} may come from another thread.
 */
final class FirstBufferAwaiter implements CoreSubscriber<ReferenceCounted>, Subscription {
    private final MonoSink<FirstBufferAwaiter> opened;
    private final Context context;
    private @Nullable Subscription source;
    private @Nullable ReferenceCounted first;
    private @Nullable CoreSubscriber<? super ReferenceCounted> reader;
    private @Nullable Throwable failure;
    private boolean arrived;
    private boolean complete;
    private boolean gone;

    private FirstBufferAwaiter(MonoSink<FirstBufferAwaiter> opened) {
        this.opened = opened;
        this.context = Context.of(opened.contextView());
    }

    /** Subscribes to a body that is not empty. Whoever gets the result takes {@link #whole}, {@link #body}, or gives it up. */
    static Mono<FirstBufferAwaiter> of(Flux<ReferenceCounted> body) {
        return Mono.create(sink -> {
            FirstBufferAwaiter waiting = new FirstBufferAwaiter(sink);
            sink.onCancel(waiting::giveUp);
            body.subscribe(waiting);
        });
    }

    /** The first piece, to be owned by the caller, if it is all there is in memory; the rest is not asked for then. */
    synchronized @Nullable ReferenceCounted whole(long length) {
        ReferenceCounted piece = first;
        if (piece instanceof ByteBuf bytes && bytes.readableBytes() == length) {
            first = null;
            gone = true;
            cancelSource();
            return piece;
        }
        return null;
    }

    /** All of the body, the first piece included. */
    Flux<ReferenceCounted> body() {
        return new Flux<>() {
            @Override
            public void subscribe(CoreSubscriber<? super ReferenceCounted> actual) {
                FirstBufferAwaiter.this.attach(actual);
            }
        };
    }

    /** Releases what is here, and ends the rest. */
    void giveUp() {
        ReferenceCounted piece;
        synchronized (this) {
            gone = true;
            piece = first;
            first = null;
            cancelSource();
        }
        if (piece != null) {
            piece.release();
        }
    }

    @Override
    public Context currentContext() {
        return context;
    }

    @Override
    public void onSubscribe(Subscription subscription) {
        synchronized (this) {
            source = subscription;
        }
        subscription.request(1);
    }

    @Override
    public void onNext(ReferenceCounted piece) {
        CoreSubscriber<? super ReferenceCounted> taker;
        boolean isFirst;
        synchronized (this) {
            if (gone) {
                piece.release();
                return;
            }
            isFirst = !arrived;
            arrived = true;
            taker = reader;
            if (isFirst) {
                first = piece;
            }
        }
        if (isFirst) {
            opened.success(this);
        } else if (taker != null) {
            taker.onNext(piece);
        }
    }

    @Override
    public void onError(Throwable cause) {
        CoreSubscriber<? super ReferenceCounted> taker;
        boolean before;
        synchronized (this) {
            failure = cause;
            before = !arrived;
            taker = first == null ? reader : null;
        }
        if (before) {
            opened.error(cause);
        } else if (taker != null) {
            taker.onError(cause);
        }
    }

    @Override
    public void onComplete() {
        CoreSubscriber<? super ReferenceCounted> taker;
        boolean before;
        synchronized (this) {
            complete = true;
            before = !arrived;
            taker = first == null ? reader : null;
        }
        if (before) {
            opened.error(new IllegalStateException("a body that is not empty brought nothing"));
        } else if (taker != null) {
            taker.onComplete();
        }
    }

    @Override
    public void request(long n) {
        ReferenceCounted piece;
        Subscription upstream;
        CoreSubscriber<? super ReferenceCounted> taker;
        synchronized (this) {
            piece = first;
            first = null;
            upstream = source;
            taker = reader;
        }
        if (piece != null && taker != null) {
            taker.onNext(piece);
            endIfEnded(taker);
        }
        long more = piece == null || n == Long.MAX_VALUE ? n : n - 1;
        if (more > 0 && upstream != null) {
            upstream.request(more);
        }
    }

    @Override
    public void cancel() {
        giveUp();
    }

    private void attach(CoreSubscriber<? super ReferenceCounted> actual) {
        synchronized (this) {
            reader = actual;
        }
        actual.onSubscribe(this);
    }

    /** What ended while the first piece was still here. */
    private void endIfEnded(CoreSubscriber<? super ReferenceCounted> taker) {
        Throwable cause;
        boolean ended;
        synchronized (this) {
            cause = failure;
            ended = complete;
        }
        if (cause != null) {
            taker.onError(cause);
        } else if (ended) {
            taker.onComplete();
        }
    }

    private void cancelSource() {
        if (source != null) {
            source.cancel();
        }
    }
}
