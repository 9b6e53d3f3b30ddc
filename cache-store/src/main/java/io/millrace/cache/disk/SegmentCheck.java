package io.millrace.cache.disk;

import io.millrace.cache.index.Entry;
import io.millrace.cache.index.Fingerprint;
import io.millrace.cache.index.Kind;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A look at the records of one segment that can be found, as they lie on the disk and not in memory: header, head part, every page
 * of the body, and whether they are what list and index say. What is not is taken out. For one thread at a time.
 */
public final class SegmentCheck implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(SegmentCheck.class);

    private final Segment segment;
    private final StoreParts parts;
    private final Consumer<Bad> told;
    private @Nullable DirectFile file;
    private @Nullable FileWindow window;
    private @Nullable Iterator<Footer.Line> lines;
    private int bad;

    /**
     * A record that is not what it should be. A block is not found any more; a head is, until a tombstone takes its place.
     *
     * @param isHead whether it told what a key is
     */
    record Bad(Fingerprint key, boolean isHead) {}

    /** Takes over a reference to {@code segment}. */
    SegmentCheck(Segment segment, StoreParts parts, Consumer<Bad> told) {
        this.segment = segment;
        this.parts = parts;
        this.told = told;
    }

    /** Bytes of the segment. */
    public long bytes() {
        return segment.bytes();
    }

    /** Bytes that were read until now. */
    public long bytesRead() {
        return window == null ? 0 : window.bytesRead();
    }

    /** Records that were taken out until now. */
    public int bad() {
        return bad;
    }

    /**
     * Looks at the next record, whatever comes of it.
     *
     * @return false behind the last one
     * @throws IOException if the disk fails
     */
    public boolean next() throws IOException {
        FileWindow open = window;
        Iterator<Footer.Line> left = lines;
        if (open == null || left == null) {
            open = open();
            left = list().iterator();
            lines = left;
        }
        while (left.hasNext()) {
            Footer.Line line = left.next();
            Entry entry = parts.index().find(line.key());
            boolean asIs = entry != null && entry.leadsTo(segment.number(), line.start());
            Fingerprint block = parts.hash().of(line.version(), 0);
            Entry blockEntry = line.kind() == Kind.OBJECT ? parts.index().find(block) : null;
            boolean asBlock = blockEntry != null && blockEntry.leadsTo(segment.number(), line.start());
            if (asIs || asBlock) {
                boolean agrees = (!asIs || agrees(entry, line)) && (!asBlock || agrees(blockEntry, line));
                if (!agrees || !isRight(open, line)) {
                    takeOut(line, asIs ? entry : null, asBlock ? blockEntry : null, block);
                }
                return true;
            }
        }
        return false;
    }

    /** All was looked at. */
    public void done(Instant now) {
        DiskChecks.remember(segment, now);
    }

    /** It cannot be looked at: the disk is judged by that, and it is its turn again in the next pass. */
    public void failed(IOException failure, Instant now) {
        if (!segment.isRemoved()) {
            log.warn("Segment {} cannot be looked at: {}", segment.path(), failure.toString());
            parts.recorder().diskError();
            segment.home().reads().failed(failure);
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

    private FileWindow open() throws IOException {
        DirectFile opened = DirectFile.open(segment.path());
        file = opened;
        FileWindow fresh = new FileWindow(opened);
        window = fresh;
        return fresh;
    }

    /** The segment's records. If its list is broken, those that are not found record by record are taken out. */
    private List<Footer.Line> list() throws IOException {
        Optional<Footer> footer = Footer.read(segment.file());
        if (footer.isPresent()) {
            return footer.get().lines();
        }
        List<Footer.Line> found = SegmentScan.of(segment.file()).found().lines();
        Set<Long> starts = new HashSet<>();
        found.forEach(line -> starts.add(line.start()));
        long gone =
                parts.index().removeIf(entry -> entry.segment() == segment.number() && !starts.contains(entry.start()));
        if (gone > 0) {
            log.warn("The list of {} is broken, {} records of it are not found any more", segment.path(), gone);
            bad += (int) gone;
            segment.home().doubt().run();
        }
        return found;
    }

    private static boolean agrees(@Nullable Entry entry, Footer.Line line) {
        return entry != null
                && entry.bodyBytes() == line.bodyBytes()
                && entry.bodyPosition() == line.start() + line.bodyStart();
    }

    private boolean isRight(FileWindow from, Footer.Line line) throws IOException {
        ByteBuffer before = from.at(line.start(), line.bodyStart());
        RecordHeader header =
                before == null ? null : RecordHeader.decodeFixed(before).orElse(null);
        if (before == null
                || header == null
                || !header.checks(before)
                || !isThat(header, line)
                || !header.isAt(segment.named(), line.start())) {
            return false;
        }
        int[] sums = new int[header.pages()];
        for (int page = 0; page < sums.length; page++) {
            sums[page] = RecordHeader.checksum(before, page);
        }
        for (int page = 0; page < sums.length; page++) {
            int length = Pages.length(page, header.bodyBytes());
            ByteBuffer bytes = from.at(line.start() + line.bodyStart() + (long) page * Pages.SIZE, length);
            if (bytes == null || Pages.checksum(bytes) != sums[page]) {
                return false;
            }
        }
        return true;
    }

    private static boolean isThat(RecordHeader header, Footer.Line line) {
        return header.kind() == line.kind()
                && header.key().equals(line.key())
                && header.version().equals(line.version())
                && header.sequence() == line.sequence()
                && header.bodyStart() == line.bodyStart()
                && header.bodyBytes() == line.bodyBytes()
                && header.recordBytes() == line.recordBytes();
    }

    private void takeOut(Footer.Line line, @Nullable Entry asIs, @Nullable Entry asBlock, Fingerprint block) {
        log.warn("A record of {} at {} is not what was written: taken out", segment.path(), line.start());
        bad++;
        parts.recorder().corrupt();
        if (asBlock != null) {
            parts.index().remove(block, asBlock.place());
            told.accept(new Bad(block, false));
        }
        boolean isHead = line.kind() != Kind.BLOCK;
        if (asIs != null && (isHead || parts.index().remove(line.key(), asIs.place()))) {
            told.accept(new Bad(line.key(), isHead));
        }
    }
}
