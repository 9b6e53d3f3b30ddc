package io.millrace.gateway.s3.post;

import io.netty.buffer.ByteBuf;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Queue;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Operators;

/**
 * Streams the file of a form from the socket to its writer. The last bytes are held back until exactly the closing
 * boundary follows the file. Signals may come from two threads; they are processed serially.
 */
final class FormFileBody implements Subscription {
    private final Subscription upstream;
    private final byte[] closing;
    private final byte[] tail;
    private final BoundarySearch boundary;
    private final Queue<ByteBuf> waiting = new ArrayDeque<>();
    private long left;
    private int tailBytes;
    private long requested;
    private boolean ended;
    private boolean done;
    private boolean taken;
    private boolean outstanding;
    private @Nullable Throwable failure;
    private @Nullable CoreSubscriber<? super ByteBuf> actual;

    /**
     * @param length the length of the file, in bytes
     * @param closing the expected closing boundary
     */
    FormFileBody(Subscription upstream, long length, byte[] closing) {
        this.upstream = upstream;
        this.left = length;
        this.closing = closing;
        this.tail = new byte[closing.length];
        this.boundary = new BoundarySearch(Arrays.copyOf(closing, closing.length - "--\r\n".length()));
    }

    /** Accepts the subscriber; returns false if there is one already. */
    boolean take(CoreSubscriber<? super ByteBuf> subscriber) {
        synchronized (this) {
            if (taken) {
                return false;
            }
            taken = true;
            actual = subscriber;
        }
        subscriber.onSubscribe(this);
        return true;
    }

    synchronized void onNext(ByteBuf piece) {
        outstanding = false;
        if (done) {
            piece.release();
            return;
        }
        int ofFile = (int) Math.min(left, piece.readableBytes());
        if (ofFile > 0) {
            ByteBuf bytes = piece.readRetainedSlice(ofFile);
            waiting.add(bytes);
            left -= ofFile;
            if (boundary.isFoundIn(bytes)) {
                failure = UploadFormFields.malformed("the file must be its last part");
            }
        }
        int behind = piece.readableBytes();
        if (tailBytes + behind > tail.length) {
            failure = UploadFormFields.malformed("something follows its closing boundary");
        } else {
            piece.readBytes(tail, tailBytes, behind);
            tailBytes += behind;
        }
        piece.release();
        drain();
    }

    synchronized void onError(Throwable broken) {
        failure = broken;
        drain();
    }

    synchronized void onComplete() {
        ended = true;
        if (left > 0 || !Arrays.equals(tail, closing)) {
            failure = UploadFormFields.malformed("it does not end with its closing boundary behind the file");
        }
        drain();
    }

    @Override
    public synchronized void request(long n) {
        requested = Operators.addCap(requested, n);
        drain();
    }

    @Override
    public synchronized void cancel() {
        finish();
        upstream.cancel();
    }

    private void drain() {
        CoreSubscriber<? super ByteBuf> subscriber = actual;
        if (subscriber == null || done) {
            return;
        }
        if (failure != null) {
            Throwable why = failure;
            finish();
            upstream.cancel();
            subscriber.onError(why);
            return;
        }
        while (requested > 0 && (waiting.size() > 1 || (ended && !waiting.isEmpty()))) {
            requested--;
            subscriber.onNext(waiting.remove());
        }
        if (ended && waiting.isEmpty()) {
            finish();
            subscriber.onComplete();
        } else if (!ended && !outstanding && (requested > 0 || waiting.isEmpty())) {
            outstanding = true;
            upstream.request(1);
        }
    }

    private void finish() {
        done = true;
        waiting.forEach(ByteBuf::release);
        waiting.clear();
    }
}
