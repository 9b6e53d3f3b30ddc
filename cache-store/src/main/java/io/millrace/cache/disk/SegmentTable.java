package io.millrace.cache.disk;

import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The open segment files of all disks, found by segment number, and the source of new numbers. Reading takes no lock.
 */
final class SegmentTable {
    private volatile Numbered numbered = new Numbered(0, new @Nullable Segment[0]);
    private final AtomicInteger lastNumber = new AtomicInteger();

    /** The segments from number {@code first} on; null where one is gone. */
    private static final class Numbered {
        final int first;
        final @Nullable Segment[] segments;

        Numbered(int first, @Nullable Segment[] segments) {
            this.first = first;
            this.segments = segments;
        }

        @Nullable Segment get(int number) {
            int at = number - first;
            return at >= 0 && at < segments.length ? segments[at] : null;
        }
    }

    /** Returns a number that no segment of any disk has had; numbers are never reused. */
    int nextNumber() {
        return lastNumber.incrementAndGet();
    }

    /** Returns the last number that was given to a segment, or raised to. */
    int lastNumber() {
        return lastNumber.get();
    }

    /** Has new numbers be higher than {@code number}. */
    void raiseNumber(int number) {
        lastNumber.accumulateAndGet(number, Math::max);
    }

    @Nullable Segment get(int number) {
        return numbered.get(number);
    }

    synchronized void add(Segment segment) {
        Numbered old = numbered;
        if (old.segments.length == 0) {
            numbered = new Numbered(segment.number(), new @Nullable Segment[] {segment});
            return;
        }
        int first = Math.min(old.first, segment.number());
        int end = Math.max(old.first + old.segments.length, segment.number() + 1);
        @Nullable Segment[] larger = new @Nullable Segment[end - first];
        System.arraycopy(old.segments, 0, larger, old.first - first, old.segments.length);
        larger[segment.number() - first] = segment;
        numbered = new Numbered(first, larger);
    }

    synchronized void remove(Segment segment) {
        Numbered old = numbered;
        @Nullable Segment[] rest = old.segments.clone();
        rest[segment.number() - old.first] = null;
        int removed = 0;
        while (removed < rest.length && rest[removed] == null) {
            removed++;
        }
        numbered = new Numbered(old.first + removed, Arrays.copyOfRange(rest, removed, rest.length));
    }

    /** Returns all segments, by number. */
    List<Segment> all() {
        return Stream.of(numbered.segments)
                .filter(Objects::nonNull)
                .map(Objects::requireNonNull)
                .toList();
    }
}
