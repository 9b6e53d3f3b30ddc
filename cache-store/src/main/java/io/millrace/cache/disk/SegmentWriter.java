package io.millrace.cache.disk;

import io.millrace.cache.residency.GroupResidencyCounter;
import io.millrace.kit.file.DurableFiles;
import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * Appends blocks to one segment file, and writes several together. After a failed write the segment accepts no more;
 * what was written before stays valid. Used by one thread.
 */
final class SegmentWriter {
    /** Records of a segment at most, because readers of its footer have all of it in memory. */
    static final int MOST_RECORDS = 500_000;

    /** A record that is copied may need other padding before its body. */
    private static final int PADDING = 4096;

    private final Segment segment;
    private final long maxBytes;
    private final WriteBudget budget;
    private final GroupResidencyCounter groups;
    private final SegmentFooter footer = new SegmentFooter();
    private final List<ByteBuffer> waiting = new ArrayList<>();
    private final List<SegmentFooterEntry> laidOut = new ArrayList<>();
    private long position = Segment.HEADER;
    private long waitingBytes;
    private long unsynced;
    private boolean broken;

    SegmentWriter(Segment segment, long maxBytes, WriteBudget budget, GroupResidencyCounter groups) {
        this.budget = budget;
        this.groups = groups;
        this.segment = segment;
        this.maxBytes = maxBytes;
    }

    Segment segment() {
        return segment;
    }

    /** Returns whether a record and its footer entry fit. */
    boolean fits(BlockToWrite draft) {
        return fits(RecordHeader.of(draft, segment.named(), position, 0, 0).recordBytes());
    }

    boolean fits(long recordBytes) {
        return recordBytes <= left();
    }

    /**
     * Places a record after the last one; {@link #flush} writes it.
     *
     * @throws IOException if an earlier write to the segment has failed
     */
    SegmentFooterEntry add(BlockToWrite draft) throws IOException {
        requireSound();
        long label = groups.label(draft.identity());
        RecordHeader header = RecordHeader.of(draft, segment.named(), position, label, System.currentTimeMillis());
        int[] checksums = new int[draft.body().size()];
        for (int i = 0; i < checksums.length; i++) {
            checksums[i] = BlockPageLayout.checksum(draft.body().get(i));
        }
        waiting.add(header.encode(checksums, draft.identity()));
        for (ByteBuf page : draft.body()) {
            Collections.addAll(waiting, page.nioBuffers());
        }
        return laidOut(header);
    }

    private SegmentFooterEntry laidOut(RecordHeader header) {
        int padding = header.recordBytes() - header.bodyStart() - header.bodyBytes();
        if (padding > 0) {
            waiting.add(ByteBuffer.allocate(padding));
        }
        SegmentFooterEntry entry = SegmentFooterEntry.of(header, position);
        laidOut.add(entry);
        position += header.recordBytes();
        waitingBytes += header.recordBytes();
        return entry;
    }

    /**
     * Writes the placed records.
     *
     * @throws IOException if the write fails: none of them is valid then, and none may be added
     */
    void flush() throws IOException {
        requireSound();
        if (waiting.isEmpty()) {
            return;
        }
        try {
            broken = true;
            DurableFiles.writeFully(segment.writing(), waiting.toArray(ByteBuffer[]::new));
            broken = false;
            segment.reads().writerProgressed();
            laidOut.forEach(footer::add);
            unsynced += waitingBytes;
            budget.spend(waitingBytes);
        } finally {
            waiting.clear();
            laidOut.clear();
            waitingBytes = 0;
        }
    }

    /** Fails after a failed write, because the file's position is unknown then. */
    private void requireSound() throws IOException {
        if (broken) {
            throw new IOException("a write to segment %d has failed".formatted(segment.number()));
        }
    }

    /** Returns the bytes of the largest record that {@link #fits}. */
    long left() {
        return broken || records() >= MOST_RECORDS
                ? 0
                : maxBytes - position - PADDING - SegmentFooter.bytes(records() + 1);
    }

    private int records() {
        return footer.entries().size() + laidOut.size();
    }

    /** Returns the bytes that the next {@link #flush} writes. */
    long waitingBytes() {
        return waitingBytes;
    }

    /** Returns the bytes written since the last call of {@link #forced}. */
    long unsynced() {
        return unsynced;
    }

    /** Records that a sync of everything written so far has begun. */
    void forced() {
        unsynced = 0;
    }

    /** Seals the segment with its footer. All placed records must be written. */
    void seal() throws IOException {
        long end = position;
        FileChannel file = segment.writing();
        if (file.position() != end) {
            // A write has failed midway: the torn record is overwritten. Readers may read before it.
            file.position(end);
        }
        footer.write(file, end);
        unsynced += SegmentFooter.bytes(records());
    }
}
