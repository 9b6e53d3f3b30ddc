package io.millrace.cache.disk;

import io.millrace.cache.index.Fingerprint;
import io.millrace.cache.index.FingerprintHash;
import io.millrace.kit.file.DurableFiles;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Segments of a disk whose store is not running, laid out by the store's own parts, with bodies of zeros that take no
 * room: they are holes. Sealed, as a store of many blocks has them.
 */
public final class HollowSegments implements AutoCloseable {
    private static final byte[] ZEROS = new byte[BlockPageLayout.SIZE];

    private final Path folder;
    private final long segmentBytes;
    private final Superblock superblock;
    private final Counters counters;
    private SegmentFooter footer = new SegmentFooter();
    private @Nullable Segment segment;
    private long position;

    /** What the disks of a store count together. */
    public static final class Counters {
        private final AtomicInteger segment = new AtomicInteger();
    }

    /** @param folder of a disk that a store has had, and has closed */
    public HollowSegments(Path folder, long segmentBytes, Counters counters) throws IOException {
        this.folder = folder;
        this.segmentBytes = segmentBytes;
        this.counters = counters;
        this.superblock = Superblock.read(folder).orElseThrow();
        try (Stream<Path> files = Files.list(folder)) {
            int highest = ExistingSegmentFile.highest(
                    files.filter(file -> file.toString().endsWith(Segment.SUFFIX))
                            .toList());
            counters.segment.accumulateAndGet(highest, Math::max);
        }
    }

    /** The hash of the store's fingerprints. */
    public FingerprintHash hash() {
        return superblock.hash();
    }

    /**
     * Adds a record behind the others.
     *
     * @param bodyBytes how many zeros it has
     * @param hollow whether its header is a hole too: it is found, and does not check when it is read
     */
    public void add(Fingerprint key, long number, ByteBuffer identity, int bodyBytes, boolean hollow)
            throws IOException {
        BlockToWrite draft = new BlockToWrite(key, number, identity, zeros(bodyBytes));
        Segment there = segment;
        RecordHeader header = header(draft, there == null ? 1 : there.named());
        if (there == null
                || position
                                + header.recordBytes()
                                + 4096
                                + SegmentFooter.bytes(footer.entries().size() + 1)
                        > segmentBytes) {
            seal();
            there = next();
            segment = there;
            header = header(draft, there.named());
        }
        FileChannel file = there.writing();
        if (!hollow) {
            int[] checksums =
                    draft.body().stream().mapToInt(BlockPageLayout::checksum).toArray();
            ByteBuffer before = header.encode(checksums, identity);
            file.position(position);
            DurableFiles.writeFully(file, before);
        }
        footer.add(SegmentFooterEntry.of(header, position));
        position += header.recordBytes();
    }

    @Override
    public void close() throws IOException {
        seal();
    }

    private RecordHeader header(BlockToWrite draft, int segmentNumber) {
        return RecordHeader.of(draft, segmentNumber, position, 0, System.currentTimeMillis());
    }

    private static List<ByteBuf> zeros(int bytes) {
        List<ByteBuf> pages =
                new ArrayList<>(Collections.nCopies(bytes / BlockPageLayout.SIZE, Unpooled.wrappedBuffer(ZEROS)));
        if (bytes % BlockPageLayout.SIZE > 0) {
            pages.add(Unpooled.wrappedBuffer(ZEROS, 0, bytes % BlockPageLayout.SIZE));
        }
        return pages;
    }

    private Segment next() throws IOException {
        footer = new SegmentFooter();
        position = Segment.HEADER;
        return Segment.create(folder, counters.segment.incrementAndGet(), superblock.disk(), Runnable::run, () -> {});
    }

    private void seal() throws IOException {
        Segment full = segment;
        if (full != null) {
            full.writing().position(position);
            footer.write(full.writing(), position);
            full.release();
        }
    }
}
