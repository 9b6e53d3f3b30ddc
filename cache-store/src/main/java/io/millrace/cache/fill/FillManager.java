package io.millrace.cache.fill;

import io.millrace.backend.spi.object.ByteRange;
import io.millrace.cache.disk.BlockStore;
import io.millrace.cache.disk.BlockToWrite;
import io.millrace.cache.disk.StoredBlock;
import io.millrace.cache.index.Fingerprint;
import io.millrace.cache.monitor.CacheEventListener;
import io.millrace.cache.monitor.LatencyWindow;
import io.millrace.cache.monitor.NonAdmissionReason;
import io.netty.buffer.ByteBuf;
import io.netty.util.ReferenceCounted;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Manages all blocks that are being fetched from backends: each is fetched once, and concurrent readers share that
 * fetch. Thread-safe.
 */
public final class FillManager implements AutoCloseable {
    /** The context key for the {@link java.util.concurrent.Executor} on which a reader is signalled. */
    public static final String EXECUTOR = "millrace.executor";

    /** The context key by which the subscriber of a body accepts no file regions. */
    public static final String BUFFERS_ONLY = "millrace.buffers-only";

    /**
     * The maximum bytes of a run that one request to a backend brings: large enough for few requests, small enough that
     * several fit into the memory.
     */
    static final int RUN_BYTES = 8 << 20;

    /** The maximum size of an object that the request which opened it fills completely. */
    public static final int WHOLE_BYTES = 64 << 20;

    /**
     * The maximum bytes that the opening request fills of a larger object, the rest of which is fetched by runs in
     * parallel; also of a run from another gateway.
     */
    static final int FIRST_BYTES = 16 << 20;

    /** The origin of the first bytes of a version. */
    public enum Origin {
        /** Fetched from a backend for a reader, who comes once it has the metadata. */
        FETCHED,
        /** Fetched from a backend for a prefetch. */
        PREFETCHED,
        /** Just written through this gateway; no reader waits for them. */
        WRITTEN
    }

    private final ConcurrentMap<Fingerprint, BlockFill> inFlight = new ConcurrentHashMap<>();

    private final BlockStore store;
    private final FillMemoryBudget memory;
    private final NonBlockingBlockReader immediate;
    private final CacheEventListener recorder;
    private final UnstoredBlocks unstored;
    private final LatencyWindow fetchLatency = new LatencyWindow();
    private final LongAdder copiedBytes = new LongAdder();

    public FillManager(
            BlockStore store, FillMemoryBudget memory, NonBlockingBlockReader immediate, CacheEventListener recorder) {
        this.store = store;
        this.memory = memory;
        this.immediate = immediate;
        this.recorder = recorder;
        this.unstored = new UnstoredBlocks(memory, this::remove);
    }

    /**
     * Reads bytes of a version from disks, fills in flight and the backend. The one subscriber owns the pieces:
     * {@link ByteBuf}s and, without {@link #BUFFERS_ONLY} in its context, {@link io.netty.channel.FileRegion}s. Signals
     * come on the executor in that context ({@link #EXECUTOR}), if there is one.
     *
     * @param opening the fill that this reader started by opening the object; empty for others
     */
    public Flux<ReferenceCounted> read(VersionFillSource version, ByteRange range, Optional<OpeningFill> opening) {
        return new CachedRangeStream(version, range, store, this, opening);
    }

    /**
     * Reads as {@link #read} does, but in buffers only, each of which has at most {@value StoredBlock#CHECK_BYTES}
     * bytes.
     */
    public Flux<ByteBuf> readBuffers(VersionFillSource version, ByteRange range, Optional<OpeningFill> opening) {
        return read(version, range, opening)
                .contextWrite(context -> context.put(BUFFERS_ONLY, true))
                .cast(ByteBuf.class);
    }

    /**
     * Fetches the absent blocks of a range, with lower priority than readers. Reads no resident block and awaits blocks
     * in flight. Emits the bytes that were fetched meanwhile; fails if one of these blocks is taken by no disk.
     *
     * @param opening the fill that this prefetch started by opening the object; empty for others
     */
    public Mono<Long> prefetch(
            VersionFillSource version, ByteRange range, Optional<OpeningFill> opening, PrefetchListener progress) {
        return Mono.create(sink -> new RangeFiller(version, range, store, this, opening, progress, sink).begin());
    }

    /**
     * Turns an open response into fills of the blocks that it contains. Blocks that are stored or in flight are left to
     * their own source.
     *
     * @param body the bytes; discarded by the caller if this returns empty
     * @param brought the range of the object that the body contains
     * @param origin the origin of the bytes
     * @param requestedAt when they were requested, by {@link System#nanoTime}
     * @return the fill, for the reader that opened the object; empty if the body is not used
     */
    public Optional<OpeningFill> begin(
            VersionFillSource version, Flux<ByteBuf> body, ByteRange brought, Origin origin, long requestedAt) {
        long first = (brought.first() + version.blockSize() - 1) / version.blockSize();
        boolean toTheEnd = brought.last() == version.size() - 1;
        long after = toTheEnd ? version.lastBlock() + 1 : (brought.last() + 1) / version.blockSize();
        int most = version.size() <= WHOLE_BYTES ? WHOLE_BYTES : FIRST_BYTES;
        long last = Math.min(after, first + most / version.blockSize()) - 1;
        boolean isAhead = origin == Origin.PREFETCHED;
        AdjacentBlockFetch run = claim(version, first, last, isAhead);
        if (run == null) {
            return Optional.empty();
        }
        if (isAhead && version.source().sequential()) {
            // What it has brought keeps others waiting for their turn until it is taken.
            run.promote();
        }
        if (origin != Origin.WRITTEN) {
            run.awaitReader();
            run.countFetch();
        }
        run.start(body, first * version.blockSize() - brought.first(), origin, requestedAt);
        return Optional.of(new OpeningFill(run));
    }

    /**
     * Writes a version that no backend has and nobody else writes. Completes when each block can be found; fails if no
     * disk takes one, if the body fails, and if it has another number of bytes. Then, and after a cancel, no block is
     * found.
     *
     * @param body owned by this; its buffers are released as they are copied
     */
    public Mono<Void> write(VersionFillSource version, Flux<ByteBuf> body) {
        return VersionWriter.write(store, memory, version, body);
    }

    /** Returns the availability of a block in memory; ignores the disks. */
    public BlockAvailability availability(Fingerprint key) {
        BlockFill block = inFlight.get(key);
        return block == null ? BlockAvailability.ABSENT : block.availability();
    }

    /** Returns the number of blocks in flight. */
    public int size() {
        return inFlight.size();
    }

    /** Returns a block in flight, or null. */
    @Nullable BlockFill find(Fingerprint key) {
        return inFlight.get(key);
    }

    /**
     * Starts a run with an absent block.
     *
     * @param last the last wanted block
     * @param quiet whether this is a prefetch, for which no reader waits
     * @return null if the block is not absent any more
     */
    @Nullable AdjacentBlockFetch start(VersionFillSource version, long number, long last, boolean quiet) {
        // A request to another gateway costs the processors of both, and two bring nothing sooner than one.
        int most = version.source().place() == SourceTraits.Place.PEER ? FIRST_BYTES : RUN_BYTES;
        long end = version.source().sequential()
                ? version.lastBlock()
                : Math.min(last, number + most / version.blockSize() - 1);
        AdjacentBlockFetch run = claim(version, number, end, quiet);
        if (run != null) {
            if (isDear(version, number)) {
                run.requestStoring();
            }
            run.join();
            run.start();
        }
        return run;
    }

    /**
     * Returns whether a run must not lose blocks that its reader has not reached: it goes farther ahead than another
     * one would, and each gap would cost the whole object again. Full disks admit few blocks that were read once.
     */
    private static boolean isDear(VersionFillSource version, long number) {
        return version.source().sequential() && version.size() - number * version.blockSize() > FIRST_BYTES;
    }

    /** Returns the recent latencies of blocks fetched from backends. */
    public LatencyWindow fetchLatency() {
        return fetchLatency;
    }

    /**
     * Releases the complete blocks that no disk has taken, for when the disks are closed. Runs go on until they end by
     * themselves; what they bring is released as it is complete.
     */
    @Override
    public void close() {
        unstored.close();
    }

    FillMemoryBudget memory() {
        return memory;
    }

    NonBlockingBlockReader immediate() {
        return immediate;
    }

    CacheEventListener recorder() {
        return recorder;
    }

    /** Stores a complete block, and releases its memory after that. */
    void completed(VersionFillSource version, BlockFill block) {
        if (version.source().sequential() && store.contains(block.key())) {
            remove(block);
            return;
        }
        boolean isStoringRequested = block.run().isStoringRequested();
        SourceTraits.Storing storing = version.source().storing();
        if (storing == SourceTraits.Storing.NEVER && !isStoringRequested) {
            unstored.addUnadmitted(block);
            return;
        }
        if (!store.takesWrites()) {
            recorder.notStored(block.length());
            keepUnstored(block);
            return;
        }
        BlockToWrite draft = version.drafts()
                .of(block.key(), block.number(), block.body())
                .withdrawnIf(() -> block.run().refusal() != null);
        NonAdmissionReason refused = isStoringRequested
                ? null
                : store.whyNotAdmitted(block.key(), draft, storing == SourceTraits.Storing.WHEN_READ_OFTEN);
        if (refused != null) {
            // No caller is notified: a prefetch that needs the block on a disk fetches it again.
            recorder.notAdmitted(refused, block.length());
            unstored.addUnadmitted(block);
            return;
        }
        store.write(draft, stored -> {
            if (stored) {
                version.drafts().stored();
                if (storing == SourceTraits.Storing.WHEN_READ_OFTEN) {
                    copiedBytes.add(block.length());
                }
            }
            if (stored || draft.withdrawn().getAsBoolean()) {
                remove(block);
            } else {
                keepUnstored(block);
            }
        });
    }

    /**
     * Drops what is stored of a version whose bytes turned out to be wrong. Blocks that are being written are withdrawn
     * already.
     *
     * @param blocks those that the run has completed
     */
    void refused(VersionFillSource version, List<BlockFill> blocks) {
        // Their memory is released by the write, or by what keeps unstored blocks.
        blocks.forEach(block -> inFlight.remove(block.key(), block));
        for (long number = 0; number <= version.lastBlock(); number++) {
            store.withdraw(version.block(number));
        }
    }

    /** Returns how many bytes were stored that another gateway has stored too. */
    public long copiedBytes() {
        return copiedBytes.sum();
    }

    private void keepUnstored(BlockFill block) {
        block.markUnstored();
        unstored.add(block);
    }

    /**
     * Abandons a block that will not be completed.
     *
     * @param failure the failure for its readers; null if they may fetch it again
     */
    void abandoned(BlockFill block, @Nullable Throwable failure) {
        if (failure != null) {
            block.fail(failure);
        }
        remove(block);
    }

    private void remove(BlockFill block) {
        inFlight.remove(block.key(), block);
        block.release();
    }

    /**
     * Claims adjacent absent blocks, up to the first that is not absent; null if that is the first one. Of a sequential
     * source stored ones between them, too: it works through them anyway, and would do so again for each gap.
     */
    private @Nullable AdjacentBlockFetch claim(VersionFillSource version, long first, long last, boolean quiet) {
        AdjacentBlockFetch run = new AdjacentBlockFetch(version, this, quiet);
        List<BlockFill> claimed = new ArrayList<>();
        for (long number = first; number <= last; number++) {
            BlockFill block = new BlockFill(version.block(number), number, version.length(number), run);
            if (inFlight.putIfAbsent(block.key(), block) != null) {
                break;
            }
            // Checked only after the claim, because a fill that has ended since the last check is in the store.
            boolean isStored = store.contains(block.key());
            if (isStored && (claimed.isEmpty() || !version.source().sequential())) {
                inFlight.remove(block.key(), block);
                block.release();
                break;
            }
            claimed.add(block);
            if (!quiet && !isStored) {
                store.recordMiss(block.key(), block.length());
            }
        }
        if (claimed.isEmpty()) {
            return null;
        }
        run.blocks(claimed);
        return run;
    }
}
