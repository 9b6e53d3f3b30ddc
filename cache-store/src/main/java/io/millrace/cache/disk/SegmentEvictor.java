package io.millrace.cache.disk;

import io.millrace.cache.eviction.AdmissionAndEvictionPolicy;
import io.millrace.cache.eviction.CopyForwardSelector;
import io.millrace.cache.index.BlockIndex;
import io.millrace.cache.index.IndexEntry;
import io.millrace.cache.monitor.CacheEventListener;
import io.millrace.cache.residency.GroupResidencyCounter;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Evicts one segment file: removes its blocks from the index, and copies those worth keeping, verified, to another
 * file.
 */
final class SegmentEvictor {
    private static final Logger log = LoggerFactory.getLogger(SegmentEvictor.class);

    /** The worth of a record that cannot be found. */
    private static final byte GONE = -1;

    private final BlockIndex index;
    private final AdmissionAndEvictionPolicy policy;
    private final GroupResidencyCounter groups;
    private final PinnedBlockFilter pins;
    private final GroupQuotaEnforcer quotas;
    private final CorruptRecordReporter corrupt;
    private final CacheEventListener recorder;
    private final LongSupplier mostCopied;

    /** Bytes of pinned records that were copied and are still where they were copied to. */
    private final AtomicLong copied = new AtomicLong();

    private boolean pinLimitReported;

    /** @param mostCopied bytes that pinned records may take */
    SegmentEvictor(
            BlockIndex index,
            AdmissionAndEvictionPolicy policy,
            GroupResidencyCounter groups,
            PinnedBlockFilter pins,
            GroupQuotaEnforcer quotas,
            CorruptRecordReporter corrupt,
            CacheEventListener recorder,
            LongSupplier mostCopied) {
        this.index = index;
        this.policy = policy;
        this.groups = groups;
        this.pins = pins;
        this.quotas = quotas;
        this.corrupt = corrupt;
        this.recorder = recorder;
        this.mostCopied = mostCopied;
    }

    /** Provides the segments that records are copied to. */
    interface Room {
        /**
         * Returns the writer for a record; null if there is no room for it.
         *
         * @param must whether the record is pinned, so that another segment may be begun for it
         */
        @Nullable SegmentWriter of(SegmentFooterEntry record, boolean must) throws IOException;
    }

    /**
     * Copies at most {@code maxBytes} of a segment, plus its pinned records.
     *
     * @param sparing whether records of little worth are copied too, the best first
     * @return bytes that were copied
     * @throws IOException if writing failed: records that were not copied are where they were
     */
    long move(Segment victim, Room room, long maxBytes, boolean sparing) throws IOException {
        quotas.trim(victim.reads());
        List<SegmentFooterEntry> records = records(victim);
        byte[] worths = worths(victim, records);
        long[] byWorth = bytesByWorth(records, worths);
        CopyForwardSelector worthIt =
                sparing ? CopyForwardSelector.best(byWorth, maxBytes) : policy.select(byWorth, maxBytes, index);
        long moved = 0;
        for (int i = 0; i < worths.length; i++) {
            if (worths[i] == GONE) {
                continue;
            }
            victim.reads().writerProgressed();
            SegmentFooterEntry record = records.get(i);
            boolean tooMuch = quotas.isFarOverQuota(record);
            boolean must = !tooMuch && isCopied(victim, record);
            boolean wanted = must
                    || (!tooMuch
                            && moved + record.recordBytes() <= maxBytes
                            && worthIt.takes(worths[i], record.recordBytes()));
            // Looked up again, because much may have been removed while others were copied.
            @Nullable IndexEntry live = live(victim, record);
            if (live != null && wanted && move(victim, record, live, room, must)) {
                moved += record.recordBytes();
            } else if (live != null) {
                boolean unused = index.remove(record.key(), live.place());
            }
        }
        return moved;
    }

    /**
     * Returns the worth of each record, 0 to {@link AdmissionAndEvictionPolicy#MOST_WORTH}, or {@link #GONE}: bytes,
     * because there may be half a million.
     */
    private byte[] worths(Segment victim, List<SegmentFooterEntry> records) {
        byte[] worths = new byte[records.size()];
        for (int i = 0; i < worths.length; i++) {
            victim.reads().writerProgressed();
            SegmentFooterEntry record = records.get(i);
            worths[i] = live(victim, record) == null ? GONE : (byte) policy.worth(record.key());
        }
        return worths;
    }

    private static long[] bytesByWorth(List<SegmentFooterEntry> records, byte[] worths) {
        long[] bytes = new long[AdmissionAndEvictionPolicy.MOST_WORTH + 1];
        for (int i = 0; i < worths.length; i++) {
            if (worths[i] != GONE) {
                bytes[worths[i]] += records.get(i).recordBytes();
            }
        }
        return bytes;
    }

    /** Returns whether a record is pinned, and pinned records have not used up their part of the disk. */
    private boolean isCopied(Segment victim, SegmentFooterEntry record) {
        if (pins.isEmpty()) {
            return false;
        }
        try {
            boolean wanted =
                    record.identity(victim.file()).filter(pins::matches).isPresent();
            boolean fits = copied.get() - victim.copied() + record.recordBytes() <= mostCopied.getAsLong();
            if (wanted && !fits && !pinLimitReported) {
                log.warn("Pinned blocks exceed {} of a disk: the oldest of them are evicted", PinnedBlockFilter.SHARE);
            }
            pinLimitReported = wanted ? !fits : pinLimitReported;
            return wanted && fits;
        } catch (IOException e) {
            // Copying the record meets the error again.
            return false;
        }
    }

    /** Uncounts the pinned records of a removed segment. */
    void gone(Segment victim) {
        copied.addAndGet(-victim.copied());
    }

    /** Removes the blocks of a segment from the index. */
    void drop(Segment victim) {
        for (SegmentFooterEntry record : records(victim)) {
            @Nullable IndexEntry live = live(victim, record);
            if (live != null) {
                boolean unused = index.remove(record.key(), live.place());
            }
        }
    }

    /** Returns the index entry of a record; null if the index has none or another. */
    private @Nullable IndexEntry live(Segment victim, SegmentFooterEntry record) {
        @Nullable IndexEntry entry = index.find(record.key());
        return entry != null && entry.leadsTo(victim.number(), record.start()) ? entry : null;
    }

    private List<SegmentFooterEntry> records(Segment victim) {
        try {
            return SegmentFooter.of(victim.file(), victim.reads()::writerProgressed)
                    .entries();
        } catch (IOException e) {
            log.warn("Segment {} cannot be read before its eviction: {}", victim.number(), e.toString());
            recorder.diskError();
            return List.of();
        }
    }

    private boolean move(Segment from, SegmentFooterEntry record, IndexEntry live, Room room, boolean must)
            throws IOException {
        BlockToWrite draft = readSafely(from, record);
        SegmentWriter into = draft == null ? null : room.of(record, must);
        if (draft == null || into == null) {
            return false;
        }
        SegmentFooterEntry moved = into.add(draft);
        into.flush();
        if (must) {
            into.segment().keeps(record.recordBytes());
            copied.addAndGet(record.recordBytes());
        }
        IndexEntry entry = moved.entry(into.segment().number()).in(groups.group(moved.label()));
        boolean unused = index.replace(record.key(), live.place(), entry);
        return true;
    }

    /** Reads a record; null if it cannot be read or is corrupt. */
    private @Nullable BlockToWrite readSafely(Segment from, SegmentFooterEntry record) {
        try {
            BlockToWrite draft = read(from, record);
            if (draft == null) {
                boolean unused = corrupt.report(from, record.start());
            }
            return draft;
        } catch (IOException e) {
            recorder.diskError();
            log.warn(
                    "A record of segment {} cannot be read, it is not copied forward: {}", from.number(), e.toString());
            return null;
        }
    }

    /** Reads a record as a draft; null if it is corrupt. */
    private static @Nullable BlockToWrite read(Segment from, SegmentFooterEntry record) throws IOException {
        ByteBuffer all = ByteBuffer.allocate(record.recordBytes());
        if (!Segment.readFully(from.file(), all, record.start())) {
            return null;
        }
        RecordHeader header = RecordHeader.decodeFixed(all).orElse(null);
        if (header == null
                || header.recordBytes() != record.recordBytes()
                || !header.checks(all)
                || !header.isAt(from.named(), record.start())
                || !header.key().equals(record.key())) {
            return null;
        }
        List<ByteBuf> body = new ArrayList<>();
        for (int page = 0; page < header.pages(); page++) {
            ByteBuffer bytes = all.duplicate()
                    .position(header.bodyStart() + page * BlockPageLayout.SIZE)
                    .limit(header.bodyStart()
                            + page * BlockPageLayout.SIZE
                            + BlockPageLayout.length(page, header.bodyBytes()))
                    .slice();
            if (BlockPageLayout.checksum(bytes) != RecordHeader.checksum(all, page)) {
                return null;
            }
            body.add(Unpooled.wrappedBuffer(bytes));
        }
        return new BlockToWrite(header.key(), header.number(), header.identity(all), body);
    }
}
