package io.millrace.cache.fill;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.cache.async.CallerRunsTaskQueue;
import io.millrace.cache.disk.BlockPageLayout;
import io.millrace.cache.disk.BlockStore;
import io.millrace.cache.disk.BlockToWrite;
import io.millrace.kit.async.DiscardedBuffers;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.MonoSink;
import reactor.core.scheduler.Schedulers;

/**
 * The write of all bytes of one version to disks, as blocks that admission is not asked about. A block holds memory of
 * the fills' budget from its first byte until it is written; the body waits for that. A serial actor: all fields but
 * {@code isAbandoned} are those of its tasks.
 */
final class VersionWriter {
    private final BlockStore store;
    private final FillMemoryBudget memory;
    private final VersionFillSource version;
    private final CallerRunsTaskQueue tasks = new CallerRunsTaskQueue(this::fail);
    private @Nullable ByteBuf piece;
    private @Nullable Block current;

    /** The waiter for the piece to be copied, or for the last block to be written. */
    private @Nullable MonoSink<Void> waiting;

    private long taken;
    private long submitted;
    private int inFlight;
    private boolean isComplete;
    private boolean isRefused;
    private volatile boolean isAbandoned;

    private VersionWriter(BlockStore store, FillMemoryBudget memory, VersionFillSource version) {
        this.store = store;
        this.memory = memory;
        this.version = version;
    }

    /** Writes a version, as {@link FillManager#write} does. */
    static Mono<Void> write(BlockStore store, FillMemoryBudget memory, VersionFillSource version, Flux<ByteBuf> body) {
        return Mono.defer(() -> {
            VersionWriter writer = new VersionWriter(store, memory, version);
            return body.concatMap(writer::take, 0)
                    // One that comes while another thread cancels.
                    .contextWrite(DiscardedBuffers.RELEASED)
                    .then(Mono.defer(writer::end))
                    .doOnError(failure -> writer.abandon())
                    .doOnCancel(writer::abandon);
        });
    }

    /** A block that is being filled or written. */
    private static final class Block {
        private final long number;
        private final int length;
        private final List<ByteBuf> pages = new ArrayList<>();
        private FillMemoryBudget.@Nullable Claim claim;
        private boolean isGranted;
        private boolean isReleased;
        private int filled;

        Block(long number, int length) {
            this.number = number;
            this.length = length;
        }

        /** Copies as much as belongs to this block, and advances the reader index; returns how much. */
        int append(ByteBuf bytes) {
            int before = filled;
            while (filled < length && bytes.isReadable()) {
                int inPage = filled % BlockPageLayout.SIZE;
                if (inPage == 0) {
                    int capacity = BlockPageLayout.length(pages.size(), length);
                    pages.add(PooledByteBufAllocator.DEFAULT.directBuffer(capacity, capacity));
                }
                ByteBuf page = pages.get(pages.size() - 1);
                int copied = Math.min(bytes.readableBytes(), page.capacity() - inPage);
                page.writeBytes(bytes, copied);
                filled += copied;
            }
            return filled - before;
        }

        boolean isFull() {
            return filled == length;
        }

        List<ByteBuf> body() {
            return pages.stream().map(ByteBuf::duplicate).toList();
        }

        /** Releases what it holds; a claim that is not granted yet is released when it is. */
        void release() {
            isReleased = true;
            pages.forEach(ByteBuf::release);
            pages.clear();
            if (claim != null && isGranted) {
                claim.release();
                claim = null;
            }
        }
    }

    private Mono<Void> take(ByteBuf bytes) {
        return Mono.create(sink -> tasks.run(() -> {
            if (isAbandoned) {
                bytes.release();
                return;
            }
            piece = bytes;
            waiting = sink;
            fill();
        }));
    }

    /** Copies the piece into blocks, until there is no more of it or memory for the next block must be waited for. */
    private void fill() {
        while (piece != null && (current == null || current.isGranted)) {
            if (isRefused) {
                fail(notStored());
                return;
            }
            if (!piece.isReadable()) {
                releasePiece();
                succeed();
            } else if (taken == version.size()) {
                fail(wrongLength());
                return;
            } else if (current == null) {
                begin();
            } else {
                taken += current.append(piece);
                submitIfFull(current);
            }
        }
    }

    private void begin() {
        Block block = new Block(submitted, version.length(submitted));
        current = block;
        block.claim = memory.claim(
                version.account(), version.party(), block.length, false, () -> tasks.run(() -> granted(block)));
        block.isGranted = block.claim.isImmediate();
    }

    private void granted(Block block) {
        block.isGranted = true;
        if (block.isReleased) {
            block.release();
        } else {
            fill();
        }
    }

    private void submitIfFull(Block block) {
        if (!block.isFull()) {
            return;
        }
        current = null;
        submitted++;
        inFlight++;
        // A write counts as a read: what is new must not leave before what nobody has read for long.
        store.recordMiss(version.block(block.number), block.length);
        BlockToWrite draft = version.drafts()
                .of(version.block(block.number), block.number, block.body())
                .withdrawnIf(() -> isAbandoned);
        // What follows a write, such as the next piece, is no work for the writer thread of a disk.
        store.write(draft, stored -> Schedulers.parallel().schedule(() -> tasks.run(() -> written(block, stored))));
    }

    private void written(Block block, boolean isStored) {
        block.release();
        inFlight--;
        isRefused |= !isStored;
        endIfWritten();
    }

    private Mono<Void> end() {
        return Mono.create(sink -> tasks.run(() -> {
            waiting = sink;
            if (taken == version.size()) {
                isComplete = true;
                endIfWritten();
            } else {
                fail(wrongLength());
            }
        }));
    }

    private void endIfWritten() {
        if (!isComplete || inFlight > 0) {
            return;
        }
        if (isRefused) {
            fail(notStored());
        } else {
            succeed();
        }
    }

    private void succeed() {
        @Nullable MonoSink<Void> sink = waiting;
        waiting = null;
        if (sink != null) {
            sink.success();
        }
    }

    private void fail(Throwable failure) {
        @Nullable MonoSink<Void> sink = waiting;
        waiting = null;
        if (sink != null) {
            sink.error(failure);
        }
    }

    private void abandon() {
        isAbandoned = true;
        tasks.run(() -> {
            releasePiece();
            if (current != null) {
                current.release();
                current = null;
            }
            for (long number = 0; number < submitted; number++) {
                store.drop(version.block(number));
            }
        });
    }

    private void releasePiece() {
        if (piece != null) {
            piece.release();
            piece = null;
        }
    }

    private BackendException notStored() {
        return new BackendException(
                FailureKind.BUSY,
                "no cache disk takes what is written to '%s' now: see the states of the disks and their write budgets"
                        .formatted(version.backend()));
    }

    private BackendException wrongLength() {
        return new BackendException(
                FailureKind.UNEXPECTED, "a body has other than the %d bytes announced".formatted(version.size()));
    }
}
