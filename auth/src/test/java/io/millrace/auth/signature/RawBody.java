package io.millrace.auth.signature;

import io.netty.buffer.ByteBuf;
import java.util.concurrent.atomic.AtomicLong;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Operators;

/** Body of a client that a test sends piece by piece; counts the pieces requested. */
final class RawBody extends Flux<ByteBuf> implements Subscription {
    private final AtomicLong requested = new AtomicLong();
    private final AtomicLong sent = new AtomicLong();
    volatile boolean cancelled;
    private CoreSubscriber<? super ByteBuf> subscriber = Operators.emptySubscriber();
    private ByteBuf[] within = {};

    @Override
    public void subscribe(CoreSubscriber<? super ByteBuf> actual) {
        subscriber = actual;
        actual.onSubscribe(this);
    }

    /** Returns the number of pieces requested. */
    long requested() {
        return requested.get();
    }

    /** Returns the number of pieces sent. */
    long sent() {
        return sent.get();
    }

    void send(ByteBuf piece) {
        sent.incrementAndGet();
        subscriber.onNext(piece);
    }

    /** Sends the first piece, and the others while the first is being emitted. */
    void sendWithin(ByteBuf piece, ByteBuf... others) {
        within = others;
        send(piece);
    }

    void complete() {
        subscriber.onComplete();
    }

    void fail(Throwable error) {
        subscriber.onError(error);
    }

    @Override
    public void request(long pieces) {
        requested.addAndGet(pieces);
        ByteBuf[] more = within;
        within = new ByteBuf[] {};
        for (ByteBuf piece : more) {
            subscriber.onNext(piece);
        }
    }

    @Override
    public void cancel() {
        cancelled = true;
    }
}
