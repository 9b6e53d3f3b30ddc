package io.millrace.cache.disk;

import io.millrace.cache.group.Groups;
import io.millrace.cache.index.Entry;
import io.millrace.cache.index.Fingerprint;
import io.millrace.cache.index.FingerprintHash;
import io.millrace.cache.index.Index;
import io.millrace.cache.index.Kind;
import java.io.IOException;
import java.util.OptionalLong;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Puts records into the index so that of those that replace each other the one with the highest sequence number stays. */
final class Newest {
    private final FingerprintHash hash;
    private final Index index;
    private final SegmentTable segments;
    private final Groups groups;

    Newest(StoreParts parts) {
        this.hash = parts.hash();
        this.index = parts.index();
        this.segments = parts.segments();
        this.groups = parts.groups();
    }

    /** What became of a record. */
    enum Result {
        /** It is found from now on. */
        FOUND,
        /** There is a newer one. */
        OLDER,
        /** The index is full. */
        NO_ROOM
    }

    Result put(Footer.Line line, int segment) {
        int group = line.kind() == Kind.TOMBSTONE ? Groups.NONE : groups.group(line.label());
        if (line.kind() == Kind.BLOCK) {
            return index.put(line.key(), line.entry(segment).in(group)) ? Result.FOUND : Result.NO_ROOM;
        }
        if (line.kind() == Kind.OBJECT
                && !index.put(
                        hash.of(line.version(), 0), line.blockEntry(segment).in(group))) {
            return Result.NO_ROOM;
        }
        Result head = putHead(line.key(), line.sequence(), line.entry(segment).in(group));
        // Of an object record the block is found in any case.
        return line.kind() == Kind.OBJECT ? Result.FOUND : head;
    }

    private Result putHead(Fingerprint key, long sequence, Entry entry) {
        while (true) {
            Entry there = index.putIfAbsent(key, entry);
            if (there == null) {
                return Result.NO_ROOM;
            }
            if (there.equals(entry)) {
                return Result.FOUND;
            }
            OptionalLong known = sequenceOf(there);
            if (!isNewer(entry, sequence, there, known)) {
                doubtIfElsewhere(entry, OptionalLong.of(sequence), there);
                return Result.OLDER;
            }
            if (index.replace(key, there.place(), entry)) {
                doubtIfElsewhere(there, known, entry);
                return Result.FOUND;
            }
        }
    }

    /**
     * Takes out what an older record left, after a newer one could not be written.
     *
     * @return whether there was one: it lies on a disk still, and would be found after a start
     */
    boolean supersede(Fingerprint key, long sequence) {
        return takeOut(key, there -> sequenceOf(there).orElse(-1) < sequence);
    }

    /**
     * The same without a look at the disk, for who must not wait: what is newer goes as well, and is asked for again.
     *
     * @return whether there was anything
     */
    boolean takeOut(Fingerprint key) {
        return takeOut(key, there -> true);
    }

    private boolean takeOut(Fingerprint key, Predicate<Entry> goes) {
        Entry there = index.find(key);
        while (there != null && goes.test(there)) {
            if (index.remove(key, there.place())) {
                return true;
            }
            // The disk's writer has copied it forward.
            there = index.find(key);
        }
        return false;
    }

    /**
     * What hides a head lies on its disk, but for what was written before that head was known: the head would count again if the
     * other disk went.
     */
    private void doubtIfElsewhere(Entry older, OptionalLong sequence, Entry newer) {
        Segment of = segments.get(older.segment());
        Segment by = segments.get(newer.segment());
        if (older.kind() == Kind.TOMBSTONE
                || of == null
                || by == null
                || of.home().equals(by.home())) {
            return;
        }
        if (sequence.orElse(Long.MAX_VALUE) >= of.home().doubtBelow().getAsLong()) {
            of.home().doubt().run();
        }
    }

    /** Where the number of what is there cannot be read, the place tells: later ones are written behind. */
    private static boolean isNewer(Entry entry, long sequence, Entry there, OptionalLong known) {
        return known.isPresent()
                ? sequence >= known.getAsLong()
                : Long.compareUnsigned(entry.place(), there.place()) > 0;
    }

    /** The sequence number of a record, or nothing if what is there does not check. */
    private OptionalLong sequenceOf(Entry entry) {
        @Nullable Segment segment = segments.get(entry.segment());
        if (segment == null || !segment.acquire()) {
            return OptionalLong.of(-1);
        }
        if (segment.home().reads().mayHang()) {
            // Whoever asks must not wait for it.
            segment.release();
            return OptionalLong.empty();
        }
        try {
            return RecordHeader.read(segment.file(), entry.start())
                    .map(header -> OptionalLong.of(header.sequence()))
                    .orElse(OptionalLong.empty());
        } catch (IOException e) {
            return OptionalLong.empty();
        } finally {
            segment.release();
        }
    }
}
