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
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.scheduler.Schedulers;

/**
 * Fetches adjacent blocks with one backend request, for readers to follow and for storing on disk. It requests the next
 * buffer only after the last one was copied, and starts a block only after the memory for it was reserved.
 *
 * <p>{@link FetchResumePolicy} decides whether an interrupted request is resumed at the byte where it broke off. A run
 * without readers stops at the end of a block, unless half of its bytes have arrived.
 *
 * <p>A run of all blocks of an object compares its bytes with the object's checksum, if the backend gives one, before it takes the
 * last of them. If they differ, the run fails and its blocks are dropped.
 *
 * <p>Only {@code steps} access the state; readers only change the reader count.
 */
final class AdjacentBlockFetch implements CoreSubscriber<ByteBuf> {
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

    /** Bytes to skip before the first block, because an open response may start in the middle of the previous block. */
    private long skip;

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
    private @Nullable Subscription upstream;
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

    /** Keeps this run in demand until its first reader joins, for {@link FillManager#RUN_BYTES} at most. */
    void awaitReader() {
        awaitsReader = true;
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
        readers.decrementAndGet();
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
        skip = skipped;
        isFetched = origin != FillManager.Origin.WRITTEN;
        if (!isFetched) {
            // Verified when it was written.
            comparison = null;
        }
        // Also after the end of the run: only a subscription that is cancelled gives the response up.
        steps.run(() -> whenReserved(() -> body.subscribe(this)));
    }

    @Override
    public void onSubscribe(Subscription subscription) {
        steps.run(() -> {
            if (ended) {
                subscription.cancel();
                return;
            }
            upstream = subscription;
            subscription.request(1);
        });
    }

    @Override
    public void onNext(ByteBuf piece) {
        steps.run(() -> received(piece));
    }

    @Override
    public void onError(Throwable failure) {
        steps.run(() -> onInterrupted(failure));
    }

    @Override
    public void onComplete() {
        steps.run(() -> {
            // Usually all has arrived; an exception for nobody would cost more than a small fill.
            if (!ended) {
                onInterrupted(new BackendException(
                        BackendException.FailureKind.INVALID_RESPONSE,
                        "the body ended %d bytes short".formatted(end - position)));
            }
        });
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
        // The request starts at the wanted byte, so nothing is skipped, unlike in an open response.
        skip = 0;
        isFetched = true;
        retries.begin();
        requestedNanos = System.nanoTime();
        version.fetch().apply(new ByteRange(position, end - 1)).subscribe(this);
    }

    private void received(ByteBuf piece) {
        if (ended) {
            piece.release();
            cancel();
            return;
        }
        retries.received(piece.readableBytes());
        if (isFetchedFromBackend()) {
            fills.recorder().fetched(piece.readableBytes());
        }
        if (skip > 0) {
            int skipped = (int) Math.min(skip, piece.readableBytes());
            piece.skipBytes(skipped);
            skip -= skipped;
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
        upstream = null;
        Optional<Duration> pause = retries.interrupted(failure);
        if (pause.isEmpty()) {
            end(failure);
        } else if (leftOver == null) {
            Schedulers.parallel()
                    .schedule(() -> steps.run(this::sendRequest), pause.get().toMillis(), TimeUnit.MILLISECONDS);
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
        } else if (upstream != null) {
            upstream.request(1);
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
        ByteBuf piece = leftOver;
        leftOver = null;
        if (piece != null) {
            store(piece);
        }
    }

    private void requestMore() {
        if (upstream == null) {
            sendRequest();
        } else {
            upstream.request(1);
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
        if (upstream != null) {
            upstream.cancel();
            upstream = null;
        }
    }
}
