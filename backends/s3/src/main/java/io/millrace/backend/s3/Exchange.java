package io.millrace.backend.s3;

import io.netty.util.Timeout;
import io.netty.util.Timer;
import io.netty.util.TimerTask;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import software.amazon.awssdk.http.SdkHttpResponse;
import software.amazon.awssdk.http.async.SdkAsyncHttpResponseHandler;

/**
 * One request and its answer. Stands between the SDK's connection and its response handler, passes on one head, one body and
 * one failure, and ends what takes too long.
 *
 * <p>The timer's thread never signals: it fails the connection's future, and the connection then fails on its own event loop
 * as it does when the network breaks.
 */
final class Exchange implements SdkAsyncHttpResponseHandler, TimerTask {
    private final SdkAsyncHttpResponseHandler handler;
    private final WatchedHttpClient.Limits limits;
    private final Timer timer;
    private final long start = System.nanoTime();

    private volatile @Nullable CompletableFuture<Void> answered;
    private volatile @Nullable Timeout armed;
    private volatile @Nullable TimeoutException outOfTime;
    private volatile @Nullable WatchedBody body;
    private boolean headHere;
    private boolean failed;

    Exchange(SdkAsyncHttpResponseHandler handler, WatchedHttpClient.Limits limits, Timer timer) {
        this.handler = handler;
        this.limits = limits;
        this.timer = timer;
    }

    /** Begins to watch. The connection completes {@code future} at the end of the answer; we fail it to give it up. */
    void watch(CompletableFuture<Void> future) {
        answered = future;
        arm(Math.min(limits.firstByte().toNanos(), limits.idle().toNanos()));
        CompletableFuture<Void> unused = future.whenComplete((done, failure) -> disarm());
    }

    @Override
    public void onHeaders(SdkHttpResponse head) {
        if (!headHere && !failed) {
            headHere = true;
            handler.onHeaders(head);
        }
    }

    @Override
    public void onStream(Publisher<ByteBuffer> stream) {
        if (body != null || failed) {
            WatchedBody.discard(stream);
            return;
        }
        WatchedBody watched = new WatchedBody(stream);
        body = watched;
        handler.onStream(watched);
    }

    /** The SDK tells a cut body only here, never to the body's subscriber. */
    @Override
    public void onError(Throwable cause) {
        if (failed) {
            return;
        }
        failed = true;
        Throwable late = outOfTime;
        Throwable failure = late == null ? cause : late;
        WatchedBody begun = body;
        if (begun != null) {
            begun.fail(failure);
        }
        handler.onError(failure);
    }

    @Override
    public void run(Timeout timeout) {
        CompletableFuture<Void> future = answered;
        if (future == null || future.isDone()) {
            return;
        }
        WatchedBody begun = body;
        long left = begun == null
                ? limits.firstByte().toNanos() - (System.nanoTime() - start)
                : limits.idle().toNanos() - begun.silentNanos();
        if (left > 0) {
            arm(left);
            return;
        }
        TimeoutException late = new TimeoutException(
                begun == null
                        ? "no answer within " + text(limits.firstByte())
                        : "nothing came for %s in the middle of the answer".formatted(text(limits.idle())));
        outOfTime = late;
        future.completeExceptionally(late);
    }

    private void arm(long nanos) {
        armed = timer.newTimeout(this, nanos, TimeUnit.NANOSECONDS);
    }

    private void disarm() {
        Timeout last = armed;
        if (last != null) {
            last.cancel();
        }
    }

    private static String text(Duration limit) {
        return limit.toSeconds() == 0 ? limit.toMillis() + " ms" : limit.toSeconds() + " s";
    }
}
