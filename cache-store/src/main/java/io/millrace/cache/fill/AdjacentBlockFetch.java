package io.millrace.cache.fill;

import io.millrace.backend.spi.BackendException;
import io.millrace.cache.async.CallerRunsTaskQueue;
import io.netty.buffer.ByteBuf;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;

/**
 * Fetches adjacent blocks with one backend request, for readers to follow and for storing on disk. It requests the next
 * buffer only after the last one was copied, and starts a block only after the memory for it was reserved. It joins the
 * {@link RunRequest}, which brings buffers, the {@link RunBlocks}, which take their bytes, and the {@link RunDemand}.
 *
 * <pre>
 *             memory granted              block complete, memory short
 *  RESERVING ────────────────▶ READING ─────────────────────────────────▶ WAITING
 *                              │  ▲  │ ◀─────────────────────────────────── │
 *                    broke off │  │  │            memory granted
 *                              ▼  │  │
 *                   PAUSING ──────┘  └───────────────────────────────▶ DRAINING
 *                       pause over          last block complete
 *
 *  RESERVING, READING, PAUSING, WAITING ─────────────────────────────▶ ENDED
 *                                          not wanted, failed, refused
 *
 *              request                                       blocks
 *  RESERVING   not sent, or open and not subscribed to       the claim of the first one waits
 *  READING     one buffer is requested                       the current one has its memory
 *  WAITING     nothing is requested; it may break off        bytes are left over, a claim waits
 *  PAUSING     none                                          the current one has its memory
 *  DRAINING    its end is requested; more bytes cancel it    all given to FillManager to store
 *  ENDED       cancelled                                     the incomplete ones were abandoned
 * </pre>
 *
 * <p>A run is not wanted at the end of a block, and when the first memory is granted, if it has no readers and less
 * than half of its bytes have arrived; within a block if it has no readers and no page has arrived for
 * {@link #UNREAD}. The bytes of a write through this gateway are always wanted, and those of a source that is
 * {@linkplain SourceTraits#sequential sequential} once the first of them has arrived. A run fails if its request does
 * and is not resumed, or if a step throws. It is refused, and drops its blocks, if it brings a whole object and its
 * bytes do not have the checksum that the backend gives, which it compares before it takes the last ones, or if its
 * source says so ({@link WrongContentException}).
 *
 * <p>A run of a sequential source is READING before it has memory, which it claims for the first buffer that arrives:
 * such a source lets others wait until it is their turn. If these held memory, those whose turn it is could wait for it
 * forever.
 *
 * <p>The owner of a buffer releases it: the {@link RunRequest} until {@link #received}, then this class, and while
 * bytes are left over the {@link RunBlocks}, until the run {@linkplain #resume resumes} or {@linkplain #end ends}.
 * The pages of the blocks are copies, which belong to a {@link BlockFill}, as does the memory that was granted for
 * them. Memory that is granted after the end is given back at once.
 *
 * <p>Only {@code steps} access the state; readers only change the demand.
 */
final class AdjacentBlockFetch implements RunRequest.Run {
    /** The time in which no page may arrive for a run without readers. */
    static final Duration UNREAD = Duration.ofSeconds(2);

    private final VersionFillSource version;
    private final FillManager fills;
    private final CallerRunsTaskQueue steps = new CallerRunsTaskQueue(this::failed);
    private final RunDemand demand;
    private final RunBlocks blocks;
    private final RunChecksum checksum = new RunChecksum();
    private final RunRequest request;
    private final RunTimer abandonment = new RunTimer(steps);

    /** Set once the run is DRAINING or ENDED. */
    private boolean ended;

    /** @param quiet whether this is a prefetch, for which no reader waits */
    AdjacentBlockFetch(VersionFillSource version, FillManager fills, boolean quiet) {
        this.version = version;
        this.fills = fills;
        this.demand = new RunDemand(quiet);
        this.blocks = new RunBlocks(version, fills.memory());
        this.request = new RunRequest(version, fills.recorder(), steps, blocks, this);
    }

    /** Sets the blocks of this run, in order; called once, before it starts. */
    void blocks(List<BlockFill> adjacent) {
        blocks.set(adjacent);
        if (blocks.areWholeObject()) {
            checksum.begin(version.check().get());
        }
    }

    /** Returns whether a block belongs to this run. */
    boolean contains(long number) {
        return blocks.contains(number);
    }

    /** Returns a block that this run {@link #contains}. */
    BlockFill block(long number) {
        return blocks.block(number);
    }

    /** Returns whether all blocks of this run precede a block. */
    boolean isBefore(long number) {
        return blocks.areBefore(number);
    }

    /** Adds a reader. */
    void join() {
        demand.join();
    }

    /** Adds a reader to a run that another one started. */
    void joinLate() {
        demand.join();
        request.watch();
    }

    /**
     * Keeps this run in demand until its first reader joins, for {@link FillManager#RUN_BYTES} and {@link
     * RunRequest#SLOW} at most.
     */
    void awaitReader() {
        demand.awaitReader();
        endLaterIfUnread(RunRequest.SLOW);
    }

    /** Turns a prefetch into a fill for a reader: its memory claim moves to the readers' queue. */
    void promote() {
        if (demand.promote()) {
            steps.run(() -> {
                if (!ended) {
                    blocks.promoteClaim();
                }
            });
        }
    }

    /** Requests that the blocks are stored regardless of admission. */
    void requestStoring() {
        demand.requestStoring();
    }

    boolean isStoringRequested() {
        return demand.isStoringRequested();
    }

    @Override
    public boolean hasReaders() {
        return demand.hasReaders();
    }

    /** Returns the failure of a run whose bytes are not those of the object, or null. */
    @Nullable BackendException refusal() {
        return checksum.refusal();
    }

    /** Removes a reader. */
    void leave() {
        if (demand.leave()) {
            endLaterIfUnread(UNREAD);
        }
    }

    private void endLaterIfUnread(Duration after) {
        steps.run(() -> {
            if (!ended) {
                abandonment.schedule(after, this::endIfUnread);
            }
        });
    }

    private void endIfUnread() {
        if (ended || demand.isRead() || isAlwaysWanted()) {
            return;
        }
        demand.awaitNoReader();
        if (request.isSilentFor(UNREAD)) {
            end(null);
        } else {
            abandonment.schedule(UNREAD, this::endIfUnread);
        }
    }

    /** Counts a request to a backend. */
    void countFetch() {
        request.countFetch();
    }

    /** Starts with a request of its own. */
    void start() {
        if (version.source().sequential()) {
            steps.run(request::send);
            return;
        }
        steps.run(() -> reserveFirst(() -> {
            if (!ended) {
                request.send();
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
        blocks.requested(requestedAt);
        if (origin == FillManager.Origin.WRITTEN) {
            request.bringsWrite();
            checksum.skip();
        }
        steps.run(() -> reserveFirst(() -> request.readOpened(body, skipped)));
    }

    /**
     * Reserves the memory of the first block.
     *
     * @param begin begins to read when it is granted, even if the run has ended meanwhile
     */
    private void reserveFirst(Runnable begin) {
        if (reserve(() -> firstGranted(begin))) {
            firstGranted(begin);
        }
    }

    private void firstGranted(Runnable begin) {
        blocks.takeMemory(ended);
        if (!ended && !hasDemand()) {
            end(null);
        }
        begin.run();
    }

    /**
     * Reserves the memory of the current block; returns whether it is granted at once.
     *
     * @param later the step that follows if it is granted later
     */
    private boolean reserve(Runnable later) {
        return blocks.reserve(demand.isPrefetch(), () -> steps.run(later));
    }

    private boolean hasDemand() {
        boolean isRead = demand.isRead() || (demand.awaitsReader() && blocks.arrivedBytes() < FillManager.RUN_BYTES);
        return isRead || isAlwaysWanted() || blocks.haveHalfArrived();
    }

    private boolean isAlwaysWanted() {
        return !request.isFetched() || (version.source().sequential() && blocks.arrivedBytes() > 0);
    }

    @Override
    public boolean hasEnded() {
        return ended;
    }

    @Override
    public void received(ByteBuf piece) {
        Optional<String> mismatch = checksum.compare(piece, blocks.missingBytes());
        if (mismatch.isPresent()) {
            piece.release();
            refuse(mismatch.get());
        } else if (blocks.isClaimed() || reserve(this::resume)) {
            store(piece);
        } else {
            blocks.keep(piece);
        }
    }

    /** Copies a buffer into its blocks; owns the buffer. */
    private void store(ByteBuf piece) {
        boolean waits = false;
        boolean goesOn = false;
        try {
            while (piece.isReadable() && !ended && !waits) {
                BlockFill complete = blocks.append(piece);
                waits = complete != null && !next(complete);
            }
        } finally {
            goesOn = piece.isReadable();
            if (waits) {
                blocks.keep(piece);
            } else {
                piece.release();
            }
        }
        if (ended) {
            request.readToEnd(goesOn);
        } else if (!waits) {
            request.requestMore();
        }
    }

    /** Moves on to the next block; returns false if its memory is not granted yet. */
    private boolean next(BlockFill complete) {
        blocks.next();
        long now = System.nanoTime();
        if (request.isFetchedFromBackend()) {
            fills.fetchLatency().record(complete.length(), now - blocks.requestedNanos());
        }
        blocks.requested(now);
        fills.completed(version, complete);
        if (blocks.areComplete()) {
            ended = true;
            abandonment.stop();
            request.finish();
        } else if (!hasDemand()) {
            end(null);
        } else {
            return reserve(this::resume);
        }
        return true;
    }

    /** Goes on with the bytes that are left over, when the memory of their block is granted. */
    private void resume() {
        blocks.takeMemory(ended);
        if (ended) {
            return;
        }
        blocks.requested(System.nanoTime());
        request.beginProgress();
        ByteBuf piece = blocks.takeLeftOver();
        if (piece != null) {
            store(piece);
        }
    }

    private void refuse(String what) {
        BackendException failure = checksum.refuse(what);
        fills.refused(version, blocks.complete());
        // Before the waiting readers know. One that looks for a block at this moment knows already; if it comes back at
        // once and finds the metadata, its bytes are compared, too.
        checksum.report(failure);
        end(failure);
    }

    @Override
    public void requestFailed(Throwable failure) {
        if (failure instanceof WrongContentException wrong) {
            checksum.refuse(wrong);
            fills.refused(version, blocks.complete());
        }
        end(failure);
    }

    /** Fails the run after an unexpected exception, so that its readers do not wait forever. */
    private void failed(Throwable failure) {
        if (!ended) {
            end(failure);
        }
    }

    /**
     * Ends the run and abandons its incomplete blocks.
     *
     * @param failure the cause; null if the run has no readers
     */
    private void end(@Nullable Throwable failure) {
        ended = true;
        abandonment.stop();
        request.cancel();
        ByteBuf piece = blocks.takeLeftOver();
        if (piece != null) {
            piece.release();
        }
        blocks.incomplete().forEach(block -> fills.abandoned(block, failure));
    }
}
