package io.millrace.cache.fill;

import io.millrace.backend.spi.object.ByteRange;
import io.millrace.cache.disk.BlockStore;
import io.millrace.cache.disk.segment.BlockDraft;
import io.millrace.cache.index.Fingerprint;
import io.millrace.cache.monitor.CacheRecorder;
import io.millrace.cache.monitor.LatencyWindow;
import io.netty.buffer.ByteBuf;
import io.netty.util.ReferenceCounted;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** Manages all blocks in flight: each is fetched once, and all its readers follow that fill. Thread-safe. */
public final class FillManager {
    /** Key of a subscriber's context: the {@link java.util.concurrent.Executor} that its signals shall come on. */
    public static final String EXECUTOR = "millrace.executor";

    /** A run that follows a reader: large enough that requests are few, small enough that several fit into the memory. */
    static final int RUN_BYTES = 8 << 20;

    /** An object up to this size comes in the one request that opened it. */
    public static final int WHOLE_BYTES = 64 << 20;

    /** What the opening brings of a larger one; the rest comes in runs beside it. */
    static final int FIRST_BYTES = 16 << 20;

    /** How long an opened object waits for whoever opened it. */
    private static final long FIRST_READER_MILLIS = 2000;

    /** Where bytes come from that are the first of a version. */
    public enum Origin {
        /** A backend sends them, for a reader who comes when it has read the head. */
        FETCHED,
        /** The same for somebody who works ahead of readers. */
        PREFETCHED,
        /** They were just written through this gateway; nobody waits for them. */
        WRITTEN
    }

    private final ConcurrentMap<Fingerprint, BlockFill> inFlight = new ConcurrentHashMap<>();

    /** Runs that wait for whoever opened their version. */
    private final ConcurrentMap<Fingerprint, FillRun> openings = new ConcurrentHashMap<>();

    private final BlockStore store;
    private final MemoryBudget memory;
    private final CacheRecorder recorder;
    private final UnstoredBlocks unstored;
    private final LatencyWindow fetchLatency = new LatencyWindow();

    public FillManager(BlockStore store, MemoryBudget memory, CacheRecorder recorder) {
        this.store = store;
        this.memory = memory;
        this.recorder = recorder;
        this.unstored = new UnstoredBlocks(memory, this::remove);
    }

    /**
     * Bytes of a version, from the disks, from what is under way, and from the backend. One subscriber; it owns the pieces,
     * which are {@link ByteBuf}s or {@link io.netty.channel.FileRegion}s. Signals come on the executor of the subscriber's
     * context ({@link #EXECUTOR}) if it has one.
     */
    public Flux<ReferenceCounted> read(CacheableVersion version, ByteRange range) {
        return new BodyReader(version, range, store, this);
    }

    /**
     * Brings what is absent of a range, behind all that readers wait for. Nothing that is here is read, and what is on its way is
     * waited for. Ends with the bytes that came meanwhile; it fails if one of them came and no disk took it.
     */
    public Mono<Long> prefetch(CacheableVersion version, ByteRange range, PrefetchProgress progress) {
        return Mono.create(sink -> new RangePrefetch(version, range, store, this, progress, sink).begin());
    }

    /**
     * Makes an open answer the fill of the blocks it brings. What of them is here or under way already comes from there.
     *
     * @param body its bytes, given up if nothing of them is wanted
     * @param brought which bytes of the object it brings
     * @param origin where they come from
     * @param asked when they were asked for, by {@link System#nanoTime}
     * @return whether it is used
     */
    public boolean begin(CacheableVersion version, Flux<ByteBuf> body, ByteRange brought, Origin origin, long asked) {
        long first = (brought.first() + version.blockSize() - 1) / version.blockSize();
        boolean toTheEnd = brought.last() == version.size() - 1;
        long behind = toTheEnd ? version.lastBlock() + 1 : (brought.last() + 1) / version.blockSize();
        int most = version.size() <= WHOLE_BYTES ? WHOLE_BYTES : FIRST_BYTES;
        long last = Math.min(behind, first + most / version.blockSize()) - 1;
        FillRun run = claim(version, first, last, origin == Origin.PREFETCHED);
        if (run == null) {
            return false;
        }
        run.join();
        if (origin == Origin.WRITTEN) {
            Schedulers.parallel().schedule(run::leave, FIRST_READER_MILLIS, TimeUnit.MILLISECONDS);
        } else {
            awaitOpener(run);
            recorder.fetch();
        }
        run.start(body, first * version.blockSize() - brought.first(), origin, asked);
        return true;
    }

    private void awaitOpener(FillRun run) {
        Fingerprint version = run.version().version();
        FillRun other = openings.put(version, run);
        if (other != null) {
            other.leave();
        }
        Runnable giveUp = () -> {
            if (openings.remove(version, run)) {
                run.leave();
            }
        };
        Schedulers.parallel().schedule(giveUp, FIRST_READER_MILLIS, TimeUnit.MILLISECONDS);
    }

    /**
     * The run that a version was opened with, if it waits for its first reader and brings this block: it was joined for him.
     * Who comes first takes it, whoever opened it.
     */
    @Nullable FillRun takeOpening(CacheableVersion version, long number) {
        FillRun run = openings.isEmpty() ? null : openings.get(version.version());
        return run != null && run.contains(number) && openings.remove(version.version(), run) ? run : null;
    }

    /** Whether a block is in memory, or on its way there; no word on the disks. */
    public BlockAvailability availability(Fingerprint key) {
        BlockFill block = inFlight.get(key);
        if (block == null) {
            return BlockAvailability.ABSENT;
        }
        return block.isReadable() ? BlockAvailability.AVAILABLE : BlockAvailability.IN_FLIGHT;
    }

    /** How many blocks are under way. */
    public int size() {
        return inFlight.size();
    }

    /** A block on its way, or null. */
    @Nullable BlockFill find(Fingerprint key) {
        return inFlight.get(key);
    }

    /**
     * Starts a run from a block that is absent.
     *
     * @param last the last block that is wanted
     * @param quiet whether no reader waits for it
     * @return null if the block is not absent any more
     */
    @Nullable FillRun start(CacheableVersion version, long number, long last, boolean quiet) {
        FillRun run = claim(version, number, Math.min(last, number + RUN_BYTES / version.blockSize() - 1), quiet);
        if (run != null) {
            run.join();
            run.start();
        }
        return run;
    }

    /** How long backends have taken for blocks lately. */
    public LatencyWindow fetchLatency() {
        return fetchLatency;
    }

    MemoryBudget memory() {
        return memory;
    }

    CacheRecorder recorder() {
        return recorder;
    }

    /** All of a block is here: it goes to a disk, and then its memory is free. */
    void completed(CacheableVersion version, BlockFill block) {
        if (!store.takesWrites()) {
            recorder.notStored(block.length());
            keepUnstored(block);
            return;
        }
        BlockDraft draft = version.drafts().of(block.key(), block.number(), block.body());
        if (!block.run().isStoringRequested() && !store.admits(block.key(), draft)) {
            // Nobody is told: for whoever wants it on a disk it comes again.
            recorder.notAdmitted(block.length());
            unstored.addUnadmitted(block);
            return;
        }
        store.write(draft, stored -> {
            if (stored) {
                remove(block);
            } else {
                keepUnstored(block);
            }
        });
    }

    private void keepUnstored(BlockFill block) {
        block.markUnstored();
        unstored.add(block);
    }

    /**
     * A block will not come.
     *
     * @param failure what its readers are told; null if they may ask again
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

    /** Takes adjacent absent blocks, up to the first that is not; null if already the first is not. */
    private @Nullable FillRun claim(CacheableVersion version, long first, long last, boolean quiet) {
        FillRun run = new FillRun(version, this, quiet);
        List<BlockFill> claimed = new ArrayList<>();
        for (long number = first; number <= last; number++) {
            BlockFill block = new BlockFill(version.block(number), number, version.length(number), run);
            if (inFlight.putIfAbsent(block.key(), block) != null) {
                break;
            }
            // Looked at only now: a fill that has ended since then is in the store.
            if (store.contains(block.key())) {
                inFlight.remove(block.key(), block);
                block.release();
                break;
            }
            claimed.add(block);
            if (!quiet) {
                store.missed(block.key(), block.length());
            }
        }
        if (claimed.isEmpty()) {
            return null;
        }
        run.blocks(claimed);
        return run;
    }
}
