package io.millrace.cache.fill;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.object.ByteRange;
import io.millrace.cache.async.CallerRunsTaskQueue;
import io.millrace.cache.monitor.CacheEventListener;
import io.netty.buffer.ByteBuf;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.scheduler.Schedulers;

/**
 * The request of a run: the response that is read, buffer by buffer, and the one that may replace it. {@link
 * FetchResumePolicy} decides whether a response that broke off is followed by a request for the bytes that are
 * missing.
 *
 * <p>A request that makes no progress is sent once more for a reader that joined, who is not bound to it: after
 * {@link #SLOW} there is a second response, the hedge, and whichever brings the next bytes is read on. A run's first
 * reader, who may be at the end of a slow line, makes none.
 *
 * <p>A buffer belongs to the response that brings it until its step runs. Then the {@link Run} owns it if the
 * response is the one that is read and the run has not ended; otherwise it is released. Only the steps of the run
 * access this, except {@link #watch}.
 */
final class RunRequest {
    /**
     * The time without a page after which a joined request is sent once more; each such request of a run doubles it.
     */
    static final Duration SLOW = Duration.ofSeconds(5);

    private static final int MOST_DOUBLINGS = 10;

    private final VersionFillSource version;
    private final CacheEventListener recorder;
    private final CallerRunsTaskQueue steps;
    private final RunBlocks blocks;
    private final Run run;
    private final FetchResumePolicy retries = new FetchResumePolicy();
    private final PageProgress progress = new PageProgress(System::nanoTime);
    private final RunTimer slowness;
    private final AtomicBoolean isWatched = new AtomicBoolean();

    /** True for bytes of a source, false for those of a write through this gateway. */
    private boolean isFetched = true;

    /** The response that is read; null before the first, and after one that broke off. */
    private @Nullable Response response;

    /** The response to the same request, sent again because the first one is slow; or null. */
    private @Nullable Response hedge;

    private int hedges;

    /** The run that a request serves; called by its steps. */
    interface Run {
        /** Returns whether no more bytes are wanted. */
        boolean hasEnded();

        boolean hasReaders();

        /** Takes over the next buffer; asks for another one after that, unless the run ends. */
        void received(ByteBuf piece);

        /** Ends the run because its request has failed for good. */
        void requestFailed(Throwable failure);
    }

    /** @param steps of the run */
    RunRequest(
            VersionFillSource version,
            CacheEventListener recorder,
            CallerRunsTaskQueue steps,
            RunBlocks blocks,
            Run run) {
        this.version = version;
        this.recorder = recorder;
        this.steps = steps;
        this.blocks = blocks;
        this.run = run;
        this.slowness = new RunTimer(steps);
    }

    /** Marks the response as one with the bytes of a write through this gateway. */
    void bringsWrite() {
        isFetched = false;
    }

    boolean isFetched() {
        return isFetched;
    }

    boolean isFetchedFromBackend() {
        return isFetched && version.source().ofBackend();
    }

    /** Counts a request to a backend. */
    void countFetch() {
        if (version.source().ofBackend()) {
            recorder.fetch();
        }
    }

    /** Requests the missing bytes. */
    void send() {
        countFetch();
        isFetched = true;
        retries.begin();
        blocks.requested(System.nanoTime());
        read(new Response(blocks.position()), version.fetch().apply(blocks.missing()));
    }

    /**
     * Reads an open response. Only its subscription gives it up, so it is subscribed to even if the run has ended.
     *
     * @param skipped its bytes before the first block
     */
    void readOpened(Flux<ByteBuf> body, long skipped) {
        Response opened = new Response(blocks.begin() - skipped);
        opened.skip = skipped;
        read(opened, body);
    }

    private void read(Response next, Flux<ByteBuf> body) {
        progress.begin();
        response = next;
        body.subscribe(next);
    }

    /** Asks for the next buffer, by another request if the response broke off meanwhile. */
    void requestMore() {
        if (response == null) {
            send();
        } else {
            response.requestMore();
        }
    }

    /** Measures progress from now on, since nothing was asked for before. */
    void beginProgress() {
        progress.begin();
    }

    boolean isSilentFor(Duration time) {
        return progress.isSilentFor(time);
    }

    /** Sends the request once more if nothing comes, now or later. Thread-safe. */
    void watch() {
        if (isWatched.compareAndSet(false, true)) {
            steps.run(this::watchProgress);
        }
    }

    private void watchProgress() {
        if (run.hasEnded()) {
            return;
        }
        Duration limit = SLOW.multipliedBy(1L << Math.min(hedges, MOST_DOUBLINGS));
        boolean isRequested = response != null && !blocks.haveLeftOver();
        if (!isRequested || !progress.isSilentFor(limit)) {
            slowness.schedule(limit, this::watchProgress);
            return;
        }
        isWatched.set(false);
        // Another one of a sequential source would only be behind this one.
        if (isFetched && run.hasReaders() && !version.source().sequential()) {
            sendAgain();
        }
    }

    private void sendAgain() {
        cancelHedge();
        hedges++;
        countFetch();
        hedge = new Response(blocks.position());
        ByteRange missing = blocks.missing();
        // What is thrown is the failure of this request only.
        Flux.defer(() -> version.fetch().apply(missing)).subscribe(hedge);
    }

    private void brokeOff(Throwable failure) {
        if (run.hasEnded()) {
            return;
        }
        response = null;
        if (hedge != null && !blocks.haveLeftOver()) {
            hedge.takeOver();
            return;
        }
        cancelHedge();
        Optional<Duration> pause = retries.interrupted(failure);
        if (pause.isEmpty()) {
            run.requestFailed(failure);
        } else if (!blocks.haveLeftOver()) {
            Schedulers.parallel()
                    .schedule(
                            () -> steps.run(this::sendUnlessEnded), pause.get().toMillis(), TimeUnit.MILLISECONDS);
        }
    }

    /** Sends a request that was scheduled; the run may have ended without readers meanwhile. */
    private void sendUnlessEnded() {
        if (!run.hasEnded()) {
            send();
        }
    }

    /** Ends the hedge and its timer: all blocks are complete. {@link #readToEnd} follows. */
    void finish() {
        slowness.stop();
        cancelHedge();
    }

    /**
     * Waits for the end of the response after the last block: only a response read to its end leaves a reusable
     * connection.
     *
     * @param goesOn whether it has further bytes, so that it is not worth it
     */
    void readToEnd(boolean goesOn) {
        if (goesOn) {
            cancel();
        } else if (response != null) {
            response.requestMore();
        }
    }

    /** Gives up what is requested. */
    void cancel() {
        slowness.stop();
        cancelHedge();
        if (response != null) {
            response.cancel();
            response = null;
        }
    }

    private void cancelHedge() {
        if (hedge != null) {
            hedge.cancel();
            hedge = null;
        }
    }

    /** One response of the backend. Its signals count while it is the one that is read, or may become it. */
    private final class Response implements CoreSubscriber<ByteBuf> {
        private final long first;

        /** Bytes to skip before the position of the run. */
        private long skip;

        private @Nullable Subscription subscription;

        /** @param begin position in the object of its first byte */
        Response(long begin) {
            this.first = begin;
        }

        @Override
        public void onSubscribe(Subscription begun) {
            steps.run(() -> {
                if (run.hasEnded() || !isWanted()) {
                    begun.cancel();
                    return;
                }
                subscription = begun;
                begun.request(1);
            });
        }

        @Override
        public void onNext(ByteBuf piece) {
            steps.run(() -> {
                if (this == hedge) {
                    hedgeResponds();
                }
                if (this == response) {
                    pass(piece);
                } else {
                    piece.release();
                }
            });
        }

        @Override
        public void onError(Throwable failure) {
            steps.run(() -> broken(failure));
        }

        @Override
        public void onComplete() {
            steps.run(() -> {
                // Usually all has arrived; an exception for nobody would cost more than a small fill.
                if (!run.hasEnded() && isWanted()) {
                    broken(new BackendException(
                            BackendException.FailureKind.INVALID_RESPONSE,
                            "the body ended %d bytes short".formatted(blocks.missingBytes())));
                }
            });
        }

        private boolean isWanted() {
            return this == response || this == hedge;
        }

        /** Gives a buffer to the run, without what it skips of it. */
        private void pass(ByteBuf piece) {
            if (run.hasEnded()) {
                piece.release();
                RunRequest.this.cancel();
                return;
            }
            retries.received(piece.readableBytes());
            progress.received(piece.readableBytes());
            if (isFetchedFromBackend()) {
                recorder.fetched(piece.readableBytes());
            }
            if (skip > 0) {
                int skipped = (int) Math.min(skip, piece.readableBytes());
                piece.skipBytes(skipped);
                skip -= skipped;
            }
            run.received(piece);
        }

        private void broken(Throwable failure) {
            if (this == hedge) {
                hedge = null;
            } else if (this == response) {
                subscription = null;
                brokeOff(failure);
            }
        }

        private void hedgeResponds() {
            if (blocks.haveLeftOver()) {
                // The other response has brought more, which waits for memory.
                cancelHedge();
            } else {
                takeOver();
            }
        }

        /** Replaces the response that was read. */
        private void takeOver() {
            hedge = null;
            if (response != null) {
                response.cancel();
            }
            response = this;
            skip = blocks.position() - first;
            retries.begin();
        }

        void requestMore() {
            if (subscription != null) {
                subscription.request(1);
            }
        }

        void cancel() {
            if (subscription != null) {
                subscription.cancel();
                subscription = null;
            }
        }
    }
}
