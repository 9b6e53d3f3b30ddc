package io.millrace.cache.disk;

import static io.millrace.backend.testkit.interleaving.InterleavingSearch.require;
import static io.millrace.backend.testkit.interleaving.InterleavingSearch.runConcurrently;
import static io.millrace.backend.testkit.interleaving.InterleavingSearch.search;

import io.millrace.cache.index.Fingerprint;
import io.millrace.cache.index.IndexEntry;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Interleavings of the eviction of a segment, which copies one of its blocks forward, with readers and writers of that
 * block.
 */
class EvictionInterleavings {
    private static final UUID DISK = new UUID(1, 2);
    private static final Fingerprint COPIED = new Fingerprint(1, 1);
    private static final Fingerprint EVICTED = new Fingerprint(1, 2);
    private static final int VICTIM = 1;
    private static final int TARGET = 2;
    private static final int OTHER_DISK = 3;

    @TempDir
    Path folder;

    private BlockStore store;

    @BeforeEach
    void open() throws IOException {
        store = Stores.withoutDisks(folder);
    }

    @AfterEach
    void close() throws IOException {
        store.close();
    }

    @Test
    void copiedBlockIsFoundAtAnyMoment() {
        search("eviction: a block that is copied forward is found at any moment, with its own bytes", () -> {
            Eviction eviction = new Eviction();
            runConcurrently(
                    eviction::run,
                    () -> {
                        require(store.contains(COPIED), "a block that is copied seems to be gone");
                        require(eviction.reads(COPIED) == COPIED.low(), "a block that is copied is not found");
                    },
                    () -> eviction.reads(EVICTED));
            eviction.check(TARGET);
        });
    }

    @Test
    void blockStoredAgainDuringItsEvictionStays() {
        search(
                "eviction: a block that another disk stores meanwhile stays, and nothing leads to the removed file",
                () -> {
                    Eviction eviction = new Eviction();
                    runConcurrently(
                            eviction::run,
                            () -> eviction.store(eviction.otherDisk, COPIED),
                            () -> require(eviction.reads(COPIED) == COPIED.low(), "a block that stays is not found"));
                    eviction.check(OTHER_DISK);
                });
    }

    @Test
    void blockDroppedDuringItsEvictionLeadsNowhere() {
        search(
                "eviction: a block that a reader drops meanwhile is whole or gone; nothing leads to the removed file",
                () -> {
                    Eviction eviction = new Eviction();
                    runConcurrently(eviction::run, () -> store.drop(COPIED), () -> eviction.reads(COPIED));
                    IndexEntry left = store.disks().parts().index().find(COPIED);
                    require(left == null || left.segment() == TARGET, "found in segment " + left);
                    eviction.checkEvicted();
                });
    }

    /** A disk that must evict its one sealed segment, of two blocks of which one may be copied. */
    private final class Eviction {
        private final DiskSpace space = new DiskSpace(folder, 0, size -> 1 << 20, 0.5, () -> 1 << 30);
        private final SealedSegments sealed = store.disks().parts().sealedSegments(space);
        private final Segment victim = segment(VICTIM, this::closed);
        private final SegmentWriter target = writer(segment(TARGET, () -> {}));
        private final SegmentWriter otherDisk = writer(segment(OTHER_DISK, () -> {}));
        private final int recordBytes;
        private int closed;

        Eviction() {
            SegmentWriter writer = writer(victim);
            recordBytes = store(writer, COPIED);
            store(writer, EVICTED);
            seal(writer);
            victim.bytes(1000);
            space.take(1000);
            sealed.add(victim);
            sealed.recovered();
        }

        void run() {
            try {
                sealed.shrink((record, must) -> target, recordBytes, true);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        /** Writes a block whose bytes are its number, and publishes it; returns the bytes of the record. */
        int store(SegmentWriter writer, Fingerprint key) {
            SegmentFooterEntry record = write(writer, key);
            require(
                    store.disks()
                            .parts()
                            .index()
                            .put(key, record.entry(writer.segment().number())),
                    "there is room");
            return record.recordBytes();
        }

        /** Returns the byte of a block; -1 if it is not found. */
        long reads(Fingerprint key) {
            StoredBlock block = store.find(key);
            return block == null ? -1 : firstByte(block);
        }

        void check(int segment) {
            IndexEntry found =
                    Objects.requireNonNull(store.disks().parts().index().find(COPIED));
            require(found.segment() == segment, "found in segment " + found.segment());
            require(reads(COPIED) == COPIED.low(), "the block cannot be read");
            checkEvicted();
        }

        void checkEvicted() {
            IndexEntry evicted = store.disks().parts().index().find(EVICTED);
            // There is room for it if the other needs none any more.
            require(evicted == null || evicted.segment() == TARGET, "evicted and found in " + evicted);
            require(closed == 1 && !isOpen(victim.file()), "the file was closed " + closed + " times");
            require(space.used() == 0, space.used() + " bytes are counted of what is gone");
            store.drop(COPIED);
            store.drop(EVICTED);
            store.disks().parts().segments().remove(target.segment());
            store.disks().parts().segments().remove(otherDisk.segment());
            target.segment().remove();
            otherDisk.segment().remove();
        }

        private void closed() {
            space.take(-victim.bytes());
            closed++;
        }
    }

    private Segment segment(int number, Runnable onClose) {
        return segment(store, folder, number, onClose);
    }

    private static boolean isOpen(FileChannel file) {
        return file.isOpen();
    }

    /** Touches files, so a path is passed. */
    private static Segment segment(BlockStore store, Path folder, int number, Runnable onClose) {
        try {
            Files.deleteIfExists(folder.resolve("%08d%s".formatted(number, Segment.SUFFIX)));
            Segment segment = Segment.create(folder, number, DISK, Runnable::run, onClose);
            store.disks().parts().segments().add(segment);
            return segment;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private SegmentWriter writer(Segment segment) {
        return new SegmentWriter(
                segment,
                1 << 20,
                new WriteBudget(Optional.empty(), () -> 0),
                store.disks().parts().groups());
    }

    private static SegmentFooterEntry write(SegmentWriter writer, Fingerprint key) {
        try {
            SegmentFooterEntry record = writer.add(new BlockToWrite(
                    key, 0, ByteBuffer.allocate(0), List.of(Unpooled.wrappedBuffer(new byte[] {(byte) key.low()}))));
            writer.flush();
            return record;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void seal(SegmentWriter writer) {
        try {
            writer.seal();
            writer.segment().isWritten();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static long firstByte(StoredBlock block) {
        try (block) {
            ByteBuf read = Objects.requireNonNull(block.read(0, 1));
            long first = read.getByte(0);
            read.release();
            return first;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
