package io.millrace.cache.disk;

import io.millrace.cache.index.BlockIndex;
import io.millrace.cache.index.IndexEntry;
import io.millrace.cache.monitor.CacheEventListener;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Verifies all cached blocks in one segment file as they are on the disk, bypassing the page cache. It checks the
 * header, the identity, every page of the body, and that they agree with the footer and the index. Corrupt records are
 * removed from the index. Records that cannot be found are skipped. For one thread at a time.
 */
final class SegmentVerifier implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(SegmentVerifier.class);

    private final Segment segment;
    private final BlockIndex index;
    private final CorruptRecordReporter corrupt;
    private final CacheEventListener recorder;
    private @Nullable DirectReadFile file;
    private @Nullable SequentialFileReader window;
    private @Nullable Iterator<SegmentFooterEntry> records;
    private int bad;

    /** Takes over a reference to {@code segment}. */
    SegmentVerifier(Segment segment, BlockIndex index, CacheEventListener recorder) {
        this.segment = segment;
        this.index = index;
        this.corrupt = new CorruptRecordReporter(recorder);
        this.recorder = recorder;
    }

    /** Returns the bytes of the segment. */
    long bytes() {
        return segment.bytes();
    }

    /** Returns the bytes that were read so far. */
    long bytesRead() {
        return window == null ? 0 : window.bytesRead();
    }

    /** Returns the number of corrupt records so far. */
    int bad() {
        return bad;
    }

    /**
     * Verifies the next record.
     *
     * @return false after the last one
     * @throws IOException if the disk fails
     */
    boolean next() throws IOException {
        SequentialFileReader open = window;
        Iterator<SegmentFooterEntry> left = records;
        if (open == null || left == null) {
            open = open();
            left = list().iterator();
            records = left;
        }
        while (left.hasNext()) {
            SegmentFooterEntry record = left.next();
            IndexEntry entry = index.find(record.key());
            if (entry != null && entry.leadsTo(segment.number(), record.start())) {
                if (!agrees(entry, record) || !isRight(open, record)) {
                    remove(record, entry);
                }
                return true;
            }
        }
        return false;
    }

    /** Marks the segment as verified. */
    void done(Instant now) {
        DiskScrubAccess.remember(segment, now);
    }

    /** Counts the failure against the disk; the next pass tries the segment again. */
    void failed(IOException failure, Instant now) {
        if (!segment.isRemoved()) {
            log.warn(
                    "Segment {} cannot be scrubbed, the next pass tries again: {}", segment.path(), failure.toString());
            recorder.diskError();
            segment.reads().failed(failure);
        }
        segment.checked(now);
    }

    @Override
    public void close() {
        try {
            if (file != null) {
                file.close();
            }
        } catch (IOException e) {
            log.debug("A segment cannot be closed", e);
        } finally {
            segment.release();
        }
    }

    private SequentialFileReader open() throws IOException {
        DirectReadFile opened = DirectReadFile.open(segment.path());
        file = opened;
        SequentialFileReader fresh = new SequentialFileReader(opened);
        window = fresh;
        return fresh;
    }

    /**
     * Returns the segment's records. If the footer is corrupt, records that a scan does not find are removed from the
     * index.
     */
    private List<SegmentFooterEntry> list() throws IOException {
        Optional<SegmentFooter> footer = SegmentFooter.read(segment.file());
        if (footer.isPresent()) {
            return footer.get().entries();
        }
        List<SegmentFooterEntry> found =
                UnsealedSegmentScan.of(segment.file()).found().entries();
        Set<Long> starts = new HashSet<>();
        found.forEach(record -> starts.add(record.start()));
        long missing = index.removeIf(entry -> entry.segment() == segment.number() && !starts.contains(entry.start()));
        if (missing > 0) {
            log.warn(
                    "The footer of {} is corrupt: {} of its blocks are removed, and fetched again on demand",
                    segment.path(),
                    missing);
            bad += (int) missing;
        }
        return found;
    }

    private static boolean agrees(IndexEntry entry, SegmentFooterEntry record) {
        return entry.bodyBytes() == record.bodyBytes() && entry.bodyPosition() == record.start() + record.bodyStart();
    }

    private boolean isRight(SequentialFileReader from, SegmentFooterEntry record) throws IOException {
        ByteBuffer before = from.at(record.start(), record.bodyStart());
        RecordHeader header =
                before == null ? null : RecordHeader.decodeFixed(before).orElse(null);
        if (before == null
                || header == null
                || !header.checks(before)
                || !isThat(header, record)
                || !header.isAt(segment.named(), record.start())) {
            return false;
        }
        int[] sums = new int[header.pages()];
        for (int page = 0; page < sums.length; page++) {
            sums[page] = RecordHeader.checksum(before, page);
        }
        for (int page = 0; page < sums.length; page++) {
            int length = BlockPageLayout.length(page, header.bodyBytes());
            ByteBuffer bytes =
                    from.at(record.start() + record.bodyStart() + (long) page * BlockPageLayout.SIZE, length);
            if (bytes == null || BlockPageLayout.checksum(bytes) != sums[page]) {
                return false;
            }
        }
        return true;
    }

    private static boolean isThat(RecordHeader header, SegmentFooterEntry record) {
        return header.key().equals(record.key())
                && header.bodyStart() == record.bodyStart()
                && header.bodyBytes() == record.bodyBytes()
                && header.recordBytes() == record.recordBytes();
    }

    private void remove(SegmentFooterEntry record, IndexEntry entry) {
        bad += corrupt.report(segment, record.start()) ? 1 : 0;
        boolean unused = index.remove(record.key(), entry.place());
    }
}
