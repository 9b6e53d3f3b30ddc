package io.millrace.cache.fill;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.object.ByteRange;
import io.millrace.cache.async.SerialExecutor;
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
 * Adjacent blocks that come in one request. It asks for the next piece only when the last one is in its block, and begins a
 * block only when there is memory for it.
 *
 * <p>A request that breaks off is sent again from that byte on, as {@link FetchRetryPolicy} has it. A run that nobody wants any more stops
 * at the end of a block, unless half of it is here.
 *
 * <p>All state belongs to {@code steps}; readers only count themselves.
 */
final class FillRun implements CoreSubscriber<ByteBuf> {
    private final CacheableVersion version;
    private final FillManager fills;
    private final FetchRetryPolicy retries = new FetchRetryPolicy();
    private final SerialExecutor steps = new SerialExecutor(this::failed);
    private final AtomicInteger readers = new AtomicInteger();
    private List<BlockFill> blocks = List.of();
    private long begin;
    private long end;
    private long position;
    private int current;

    /** The memory of the current block, or the wish for it. */
    private MemoryBudget.@Nullable Claim claim;

    /** Whether no reader waits for it, so that those come first whom one waits for. */
    private volatile boolean prefetch;

    /** Whether somebody wants it on a disk who does not read it. */
    private volatile boolean storingRequested;

    /** Whether what comes now comes from a backend. */
    private boolean isFetched = true;

    /** Bytes to be dropped before those of the first block: an answer may begin in the middle of the block before. */
    private long skip;

    /** When the backend was asked for the current block, or had brought the one before. */
    private long requestedNanos;

    private @Nullable ByteBuf leftOver;
    private @Nullable Subscription upstream;
    private boolean ended;

    /** @param quiet whether no reader waits for it */
    FillRun(CacheableVersion version, FillManager fills, boolean quiet) {
        this.version = version;
        this.fills = fills;
        this.prefetch = quiet;
        this.storingRequested = quiet;
    }

    CacheableVersion version() {
        return version;
    }

    /** The blocks it brings, in order; set once, before it starts. */
    void blocks(List<BlockFill> adjacent) {
        blocks = adjacent;
        BlockFill last = adjacent.get(adjacent.size() - 1);
        begin = adjacent.get(0).number() * version.blockSize();
        position = begin;
        end = last.number() * version.blockSize() + last.length();
    }

    /** Whether a block is one of its own. */
    boolean contains(long number) {
        return number >= begin / version.blockSize() && !isBefore(number);
    }

    /** Whether all it brings lies before a block. */
    boolean isBefore(long number) {
        return end <= number * version.blockSize();
    }

    /** One who wants what it brings. */
    void join() {
        readers.incrementAndGet();
    }

    /** A reader waits for it now: it does not stand behind others any more. */
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

    /** Somebody wants it on a disk, whether or not that is worth it. */
    void requestStoring() {
        storingRequested = true;
    }

    boolean isStoringRequested() {
        return storingRequested;
    }

    /** One less. */
    void leave() {
        readers.decrementAndGet();
    }

    boolean hasReaders() {
        return readers.get() > 0;
    }

    /** Begins with a request of its own. */
    void start() {
        steps.run(() -> whenReserved(() -> {
            if (!ended) {
                sendRequest();
            }
        }));
    }

    /**
     * Begins with an answer that is open already. What it brings behind the last block is not read.
     *
     * @param skipped bytes of it that stand before the first block
     * @param asked when it was asked for, by {@link System#nanoTime}
     */
    void start(Flux<ByteBuf> body, long skipped, FillManager.Origin origin, long asked) {
        requestedNanos = asked;
        skip = skipped;
        isFetched = origin != FillManager.Origin.WRITTEN;
        // Also if it has ended meanwhile: only so is the answer given up.
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
        steps.run(() -> onInterrupted(new BackendException(
                BackendException.FailureKind.INVALID_RESPONSE,
                "the body ended %d bytes short".formatted(end - position))));
    }

    private void sendRequest() {
        fills.recorder().fetch();
        // Asked from the very byte that is wanted: nothing stands before it, as it did in an answer that was open
        // already.
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
        if (isFetched) {
            fills.recorder().fetched(piece.readableBytes());
        }
        if (skip > 0) {
            int skipped = (int) Math.min(skip, piece.readableBytes());
            piece.skipBytes(skipped);
            skip -= skipped;
        }
        store(piece);
    }

    /** A step went wrong in a way that nobody foresaw: whoever waits must hear of it. */
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

    /** Puts a piece into the blocks it belongs to; owns it. */
    private void store(ByteBuf piece) {
        boolean kept = false;
        boolean goesOn = false;
        try {
            while (piece.isReadable() && !ended && !kept) {
                BlockFill block = blocks.get(current);
                int before = piece.readableBytes();
                block.append(piece);
                position += before - piece.readableBytes();
                kept = block.isComplete() && !next(block);
            }
        } finally {
            goesOn = piece.isReadable();
            if (kept) {
                leftOver = piece;
            } else {
                piece.release();
            }
        }
        if (ended) {
            awaitEnd(goesOn);
        } else if (!kept) {
            requestMore();
        }
    }

    /** All is here. Only an answer that is heard to its end leaves a connection for the next request. */
    private void awaitEnd(boolean goesOn) {
        if (goesOn) {
            cancel();
        } else if (upstream != null) {
            upstream.request(1);
        }
    }

    /** Goes on to the block behind this one; false if there is no memory for it yet. */
    private boolean next(BlockFill block) {
        claim = null;
        current++;
        long now = System.nanoTime();
        if (isFetched) {
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

    /** Takes the memory that has come; what comes after the end goes back. */
    private boolean endedWhileWaiting() {
        MemoryBudget.Claim came = Objects.requireNonNull(claim);
        if (ended) {
            came.release();
        } else {
            blocks.get(current).holdMemory(came);
        }
        return ended;
    }

    private boolean reserve(Runnable later) {
        MemoryBudget.Claim made = fills.memory().claim(blocks.get(current).length(), prefetch, () -> steps.run(later));
        claim = made;
        if (made.isImmediate()) {
            blocks.get(current).holdMemory(made);
        }
        return made.isImmediate();
    }

    private boolean hasDemand() {
        return hasReaders() || end - position <= (end - begin) / 2;
    }

    /**
     * Gives up what is not here.
     *
     * @param failure why; null if nobody wanted it
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
