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
 * Delays a response until the first buffer of its body is read, so that an earlier failure can still become an S3
 * error; a later one breaks the connection. Signals of the source are serial; requests and {@link #giveUp} may come
 * from another thread.
 */
public final class FirstBufferAwaiter implements CoreSubscriber<ReferenceCounted>, Subscription {
    private final MonoSink<FirstBufferAwaiter> opened;
    private final Context context;
    private @Nullable Subscription source;
    private @Nullable ReferenceCounted first;
    private @Nullable CoreSubscriber<? super ReferenceCounted> reader;
    private @Nullable Throwable failure;
    private boolean arrived;

    /** Whether the first buffer is being passed on; an end that comes meanwhile waits for that. */
    private boolean passing;

    private boolean complete;
    private boolean cancelled;

    private FirstBufferAwaiter(MonoSink<FirstBufferAwaiter> opened) {
        this.opened = opened;
        this.context = Context.of(opened.contextView());
    }

    /**
     * Subscribes to a body that is not empty. The subscriber must take {@link #whole} or {@link #body}, or call
     * {@link #giveUp}.
     */
    public static Mono<FirstBufferAwaiter> of(Flux<ReferenceCounted> body) {
        return Mono.create(sink -> {
            FirstBufferAwaiter waiting = new FirstBufferAwaiter(sink);
            sink.onCancel(waiting::giveUp);
            body.subscribe(waiting);
        });
    }

    /**
     * Returns the first buffer, owned by the caller, if it is in memory and the whole body. The source is cancelled
     * then.
     */
    synchronized @Nullable ReferenceCounted whole(long length) {
        ReferenceCounted piece = first;
        if (piece instanceof ByteBuf bytes && bytes.readableBytes() == length) {
            first = null;
            cancelled = true;
            cancelSource();
            return piece;
        }
        return null;
    }

    /** Returns the whole body, beginning with the first buffer. */
    public Flux<ReferenceCounted> body() {
        return new Flux<>() {
            @Override
            public void subscribe(CoreSubscriber<? super ReferenceCounted> actual) {
                FirstBufferAwaiter.this.attach(actual);
            }
        };
    }

    /** Releases the first buffer and cancels the source. */
    public void giveUp() {
        ReferenceCounted piece;
        synchronized (this) {
            cancelled = true;
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
        boolean isGivenUp;
        synchronized (this) {
            source = subscription;
            isGivenUp = cancelled;
        }
        if (isGivenUp) {
            subscription.cancel();
        } else {
            subscription.request(1);
        }
    }

    @Override
    public void onNext(ReferenceCounted piece) {
        CoreSubscriber<? super ReferenceCounted> taker;
        boolean isFirst;
        synchronized (this) {
            if (cancelled) {
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
            taker = first == null && !passing ? reader : null;
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
            taker = first == null && !passing ? reader : null;
        }
        if (before) {
            opened.error(new IllegalStateException("the source of a non-empty body completed without data"));
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
            passing |= piece != null && taker != null;
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

    /** Forwards an end of the source that was received while the first buffer was held or passed on. */
    private void endIfEnded(CoreSubscriber<? super ReferenceCounted> taker) {
        Throwable cause;
        boolean ended;
        synchronized (this) {
            passing = false;
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
