package io.millrace.cache.fill;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.checksum.WholeObjectChecksum;
import io.millrace.backend.spi.object.ByteRange;
import io.millrace.cache.async.CallerRunsTaskQueue;
import io.netty.buffer.ByteBuf;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.core.publisher.Flux;
import reactor.core.scheduler.Schedulers;

/**
 * Fetches adjacent blocks with one backend request, for readers to follow and for storing on disk. It requests the next
 * buffer only after the last one was copied, and starts a block only after the memory for it was reserved.
 *
 * <p>{@link FetchResumePolicy} decides whether an interrupted request is resumed at the byte where it broke off. A run
 * without readers stops at the end of a block, unless half of its bytes have arrived; within a block if no page has
 * arrived for {@link #UNREAD}.
 *
 * <p>A reader that joins is not bound to a request that makes no progress: after {@link #SLOW} it is sent once more for the bytes
 * that are missing, and whichever brings the next bytes is read on. A run's first reader, who may be at the end of a slow line, makes
 * none.
 *
 * <p>A run of all blocks of an object compares its bytes with the object's checksum, if the backend gives one, before it takes the
 * last of them. If they differ, the run fails and its blocks are dropped.
 *
 * <p>Only {@code steps} access the state; readers only change the reader count.
 */
final class AdjacentBlockFetch {
    /** The time in which no page may arrive for a run without readers. */
    static final Duration UNREAD = Duration.ofSeconds(2);

    /** The time without a page after which a joined request is sent once more; each such request of a run doubles it. */
    static final Duration SLOW = Duration.ofSeconds(5);

    private static final int MOST_DOUBLINGS = 10;

    private final VersionFillSource version;
    private final FillManager fills;
    private final FetchResumePolicy retries = new FetchResumePolicy();
    private final CallerRunsTaskQueue steps = new CallerRunsTaskQueue(this::failed);
    private final AtomicInteger readers = new AtomicInteger();
    private List<BlockFill> blocks = List.of();
    private long begin;
    private long end;
    private long position;
    private int current;

    /** The memory claim of the current block, granted or waiting. */
    private FillMemoryBudget.@Nullable Claim claim;

    /** Whether no reader waits for this run, so that its memory claims queue after those of readers. */
    private volatile boolean prefetch;

    /** Whether a prefetch needs the blocks stored, regardless of admission. */
    private volatile boolean storingRequested;

    /** True for bytes of a source, false for those of a write through this gateway. */
    private boolean isFetched = true;

    /** {@link System#nanoTime} when the current block was requested, or when the previous one was complete. */
    private long requestedNanos;

    /** Whether its first reader, who opened the object, has not joined yet. */
    private volatile boolean awaitsReader;

    /** The check of the whole object, or null if this run does not bring it or no checksum is known. */
    private @Nullable WholeObjectCheck check;

    /** The comparison of that check, while it runs. */
    private WholeObjectChecksum.@Nullable RunningComparison comparison;

    /** The failure of a run whose bytes do not have the checksum, so that no block of it may stay; or null. */
    private volatile @Nullable BackendException refusal;

    private @Nullable ByteBuf leftOver;

    /** The response that is read; null before the first, and after one that broke off. */
    private @Nullable Response response;

    /** The response to the same request, sent again because the first one is slow; or null. */
    private @Nullable Response hedge;

    private int hedges;

    private final PageProgress progress = new PageProgress(System::nanoTime);
    private final Disposable.Swap abandonment = Disposables.swap();
    private final Disposable.Swap slowness = Disposables.swap();
    private final AtomicBoolean isWatched = new AtomicBoolean();
    private boolean ended;

    /** @param quiet whether this is a prefetch, for which no reader waits */
    AdjacentBlockFetch(VersionFillSource version, FillManager fills, boolean quiet) {
        this.version = version;
        this.fills = fills;
        this.prefetch = quiet;
        this.storingRequested = quiet;
    }

    VersionFillSource version() {
        return version;
    }

    /** Sets the blocks of this run, in order; called once, before it starts. */
    void blocks(List<BlockFill> adjacent) {
        blocks = adjacent;
        BlockFill last = adjacent.get(adjacent.size() - 1);
        begin = adjacent.get(0).number() * version.blockSize();
        position = begin;
        end = last.number() * version.blockSize() + last.length();
        if (begin == 0 && end == version.size()) {
            check = version.check().get().orElse(null);
            comparison = check == null ? null : check.checksum().begin();
        }
    }

    /** Returns whether a block belongs to this run. */
    boolean contains(long number) {
        return number >= begin / version.blockSize() && !isBefore(number);
    }

    /** Returns a block that this run {@link #contains}. */
    BlockFill block(long number) {
        return blocks.get((int) (number - begin / version.blockSize()));
    }

    /** Returns whether all blocks of this run precede a block. */
    boolean isBefore(long number) {
        return end <= number * version.blockSize();
    }

    /** Adds a reader. */
    void join() {
        readers.incrementAndGet();
        awaitsReader = false;
    }

    /** Adds a reader to a run that another one started. */
    void joinLate() {
        join();
        if (isWatched.compareAndSet(false, true)) {
            steps.run(this::watchProgress);
        }
    }

    /** Keeps this run in demand until its first reader joins, for {@link FillManager#RUN_BYTES} and {@link #SLOW} at most. */
    void awaitReader() {
        awaitsReader = true;
        endLaterIfUnread(SLOW);
    }

    /** Turns a prefetch into a fill for a reader: its memory claim moves to the readers' queue. */
    void promote() {
        if (prefetch) {
            prefetch = false;
            steps.run(() -> {
                if (!ended && claim != null) {
                    claim.promote();
                }
            });
        }
    }

    /** Requests that the blocks are stored regardless of admission. */
    void requestStoring() {
        storingRequested = true;
    }

    boolean isStoringRequested() {
        return storingRequested;
    }

    /** Removes a reader. */
    void leave() {
        if (readers.decrementAndGet() == 0) {
            endLaterIfUnread(UNREAD);
        }
    }

    private void endLaterIfUnread(Duration after) {
        steps.run(() -> {
            if (!ended) {
                schedule(abandonment, after, this::endIfUnread);
            }
        });
    }

    private void endIfUnread() {
        if (ended || readers.get() > 0 || !isFetched) {
            return;
        }
        awaitsReader = false;
        if (progress.isSilentFor(UNREAD)) {
            end(null);
        } else {
            schedule(abandonment, UNREAD, this::endIfUnread);
        }
    }

    /** Sends the request once more if nothing comes, now or later. */
    private void watchProgress() {
        if (ended) {
            return;
        }
        Duration patience = SLOW.multipliedBy(1L << Math.min(hedges, MOST_DOUBLINGS));
        boolean isAsked = response != null && leftOver == null;
        if (!isAsked || !progress.isSilentFor(patience)) {
            schedule(slowness, patience, this::watchProgress);
            return;
        }
        isWatched.set(false);
        if (isFetched && hasReaders()) {
            sendAgain();
        }
    }

    private void sendAgain() {
        cancelHedge();
        hedges++;
        countFetch();
        hedge = new Response(position);
        ByteRange missing = new ByteRange(position, end - 1);
        // What is thrown is the failure of this request only.
        Flux.defer(() -> version.fetch().apply(missing)).subscribe(hedge);
    }

    private void schedule(Disposable.Swap timer, Duration after, Runnable step) {
        timer.update(Schedulers.parallel().schedule(() -> steps.run(step), after.toMillis(), TimeUnit.MILLISECONDS));
    }

    boolean hasReaders() {
        return readers.get() > 0 || awaitsReader;
    }

    /** Starts with a request of its own. */
    void start() {
        steps.run(() -> whenReserved(() -> {
            if (!ended) {
                sendRequest();
            }
        }));
    }

    /**
     * Starts from an open response. Bytes after the last block are not read.
     *
     * @param skipped bytes of the response before the first block
     * @param requestedAt when the request was sent, by {@link System#nanoTime}
     */
    void start(Flux<ByteBuf> body, long skipped, FillManager.Origin origin, long requestedAt) {
        requestedNanos = requestedAt;
        isFetched = origin != FillManager.Origin.WRITTEN;
        if (!isFetched) {
            // Verified when it was written.
            comparison = null;
        }
        // Also after the end of the run: only a subscription that is cancelled gives the response up.
        steps.run(() -> whenReserved(() -> {
            Response opened = new Response(begin - skipped);
            opened.skip = skipped;
            read(opened, body);
        }));
    }

    private void read(Response next, Flux<ByteBuf> body) {
        progress.begin();
        response = next;
        body.subscribe(next);
    }

    /** Counts a request to a backend. */
    void countFetch() {
        if (version.source().ofBackend()) {
            fills.recorder().fetch();
        }
    }

    private boolean isFetchedFromBackend() {
        return isFetched && version.source().ofBackend();
    }

    private void sendRequest() {
        countFetch();
        isFetched = true;
        retries.begin();
        requestedNanos = System.nanoTime();
        read(new Response(position), version.fetch().apply(new ByteRange(position, end - 1)));
    }

    private void received(ByteBuf piece, Response from) {
        if (ended) {
            piece.release();
            cancel();
            return;
        }
        retries.received(piece.readableBytes());
        progress.received(piece.readableBytes());
        if (isFetchedFromBackend()) {
            fills.recorder().fetched(piece.readableBytes());
        }
        if (from.skip > 0) {
            int skipped = (int) Math.min(from.skip, piece.readableBytes());
            piece.skipBytes(skipped);
            from.skip -= skipped;
        }
        Optional<String> mismatch = compare(piece);
        if (mismatch.isEmpty()) {
            store(piece);
        } else {
            piece.release();
            refuse(mismatch.get());
        }
    }

    /** Adds a buffer to the comparison; returns what is wrong if it is the last one and the bytes are not the object's. */
    private Optional<String> compare(ByteBuf piece) {
        if (comparison == null) {
            return Optional.empty();
        }
        int bytes = (int) Math.min(piece.readableBytes(), end - position);
        comparison.add(piece.slice(piece.readerIndex(), bytes));
        return position + bytes < end ? Optional.empty() : comparison.mismatch();
    }

    private void refuse(String what) {
        BackendException failure = new BackendException(BackendException.FailureKind.INVALID_RESPONSE, what);
        refusal = failure;
        fills.refused(blocks.subList(0, current));
        // Before the waiting readers know. One that looks for a block at this moment knows already; if it comes back at
        // once
        // and finds the metadata, its bytes are compared, too.
        Objects.requireNonNull(check).mismatched().accept(failure);
        end(failure);
    }

    /** Returns the failure of a run whose bytes do not have the checksum of the object, or null. */
    @Nullable BackendException refusal() {
        return refusal;
    }

    /** Fails the run after an unexpected exception, so that its readers do not wait forever. */
    private void failed(Throwable failure) {
        if (!ended) {
            end(failure);
        }
    }

    private void onInterrupted(Throwable failure) {
        if (ended) {
            return;
        }
        response = null;
        if (hedge != null && leftOver == null) {
            hedge.takeOver();
            return;
        }
        cancelHedge();
        Optional<Duration> pause = retries.interrupted(failure);
        if (pause.isEmpty()) {
            end(failure);
        } else if (leftOver == null) {
            Schedulers.parallel()
                    .schedule(
                            () -> steps.run(() -> {
                                // It may have ended without readers meanwhile.
                                if (!ended) {
                                    sendRequest();
                                }
                            }),
                            pause.get().toMillis(),
                            TimeUnit.MILLISECONDS);
        }
    }

    /** Copies a buffer into its blocks; owns the buffer. */
    private void store(ByteBuf piece) {
        boolean stored = false;
        boolean goesOn = false;
        try {
            while (piece.isReadable() && !ended && !stored) {
                BlockFill block = blocks.get(current);
                int before = piece.readableBytes();
                block.append(piece);
                position += before - piece.readableBytes();
                stored = block.isComplete() && !next(block);
            }
        } finally {
            goesOn = piece.isReadable();
            if (stored) {
                leftOver = piece;
            } else {
                piece.release();
            }
        }
        if (ended) {
            awaitEnd(goesOn);
        } else if (!stored) {
            requestMore();
        }
    }

    /**
     * Waits for the end of the response after the last block: only a response read to its end leaves a reusable
     * connection.
     */
    private void awaitEnd(boolean goesOn) {
        if (goesOn) {
            cancel();
        } else if (response != null) {
            response.requestMore();
        }
    }

    /** Moves on to the next block; returns false if its memory is not granted yet. */
    private boolean next(BlockFill block) {
        claim = null;
        current++;
        long now = System.nanoTime();
        if (isFetchedFromBackend()) {
            fills.fetchLatency().record(block.length(), now - requestedNanos);
        }
        requestedNanos = now;
        fills.completed(version, block);
        if (current == blocks.size()) {
            ended = true;
            stopTimers();
            cancelHedge();
        } else if (!hasDemand()) {
            end(null);
        } else {
            return reserve(this::resume);
        }
        return true;
    }

    private void resume() {
        if (endedWhileWaiting()) {
            return;
        }
        requestedNanos = System.nanoTime();
        progress.begin();
        ByteBuf piece = leftOver;
        leftOver = null;
        if (piece != null) {
            store(piece);
        }
    }

    private void requestMore() {
        if (response == null) {
            sendRequest();
        } else {
            response.requestMore();
        }
    }

    private void whenReserved(Runnable step) {
        if (reserve(() -> begin(step))) {
            begin(step);
        }
    }

    private void begin(Runnable step) {
        if (!endedWhileWaiting() && !hasDemand()) {
            end(null);
        }
        step.run();
    }

    /** Takes the granted memory; returns whether the run has ended meanwhile, and then the memory is released. */
    private boolean endedWhileWaiting() {
        FillMemoryBudget.Claim came = Objects.requireNonNull(claim);
        if (ended) {
            came.release();
        } else {
            blocks.get(current).holdMemory(came);
        }
        return ended;
    }

    private boolean reserve(Runnable later) {
        int length = blocks.get(current).length();
        FillMemoryBudget.Claim made =
                fills.memory().claim(version.backend(), version.party(), length, prefetch, () -> steps.run(later));
        claim = made;
        if (made.isImmediate()) {
            blocks.get(current).holdMemory(made);
        }
        return made.isImmediate();
    }

    private boolean hasDemand() {
        boolean isRead = readers.get() > 0 || (awaitsReader && position - begin < FillManager.RUN_BYTES);
        return isRead || !isFetched || end - position <= (end - begin) / 2;
    }

    /**
     * Ends the run and abandons its incomplete blocks.
     *
     * @param failure the cause; null if the run has no readers
     */
    private void end(@Nullable Throwable failure) {
        ended = true;
        stopTimers();
        cancel();
        if (leftOver != null) {
            leftOver.release();
            leftOver = null;
        }
        for (int i = current; i < blocks.size(); i++) {
            fills.abandoned(blocks.get(i), failure);
        }
    }

    private void cancel() {
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

    private void stopTimers() {
        abandonment.dispose();
        slowness.dispose();
    }

    /** One response of the backend. Its signals count while it is the one that is read, or may become it. */
    private final class Response implements CoreSubscriber<ByteBuf> {
        private final long first;

        /** Bytes to skip before {@link #position}. */
        private long skip;

        private @Nullable Subscription subscription;

        /** @param begin position in the object of its first byte */
        Response(long begin) {
            this.first = begin;
        }

        @Override
        public void onSubscribe(Subscription begun) {
            steps.run(() -> {
                if (ended || !isWanted()) {
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
                    answerFirst();
                }
                if (this == response) {
                    received(piece, this);
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
                if (!ended && isWanted()) {
                    broken(new BackendException(
                            BackendException.FailureKind.INVALID_RESPONSE,
                            "the body ended %d bytes short".formatted(end - position)));
                }
            });
        }

        private boolean isWanted() {
            return this == response || this == hedge;
        }

        private void broken(Throwable failure) {
            if (this == hedge) {
                hedge = null;
            } else if (this == response) {
                subscription = null;
                onInterrupted(failure);
            }
        }

        private void answerFirst() {
            if (leftOver == null) {
                takeOver();
            } else {
                // The other response has brought more, which waits for memory.
                cancelHedge();
            }
        }

        /** Replaces the response that was read. */
        private void takeOver() {
            hedge = null;
            if (response != null) {
                response.cancel();
            }
            response = this;
            skip = position - first;
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
