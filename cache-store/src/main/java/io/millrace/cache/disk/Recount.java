package io.millrace.cache.disk;

import io.millrace.cache.group.Groups;
import io.millrace.cache.index.Entry;
import io.millrace.cache.index.Fingerprint;
import io.millrace.cache.index.Kind;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Counts what earlier runs left without a label that says where it belongs today: records of before there were labels, and those that another
 * set of prefixes was named for. Each is read up to its body, on a thread of its own that rests as long as it works. What cannot be read is
 * tried again as long as it is there.
 */
final class Recount {
    private static final Logger log = LoggerFactory.getLogger(Recount.class);

    /** Records between two rests. */
    private static final int PIECE = 256;

    /** So long {@link #stop} waits for a disk that hangs. */
    private static final long PATIENCE_MILLIS = 5000;

    private static final long SECOND_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** What could not be read is tried again behind a second, and then each time behind twice as long, up to this. */
    private static final long LONGEST_PAUSE = TimeUnit.MINUTES.toNanos(1);

    private final StoreParts parts;
    private final int lastFound;
    private @Nullable Thread running;
    private boolean again;
    private volatile boolean done;
    private volatile boolean stopped;
    private long counted;
    private long beganAt;

    /** @param lastFound the last segment of earlier runs */
    Recount(StoreParts parts, int lastFound) {
        this.parts = parts;
        this.lastFound = lastFound;
    }

    /** Begins, if there is something to count; once more if it is at work. What is to be counted must be known. */
    synchronized void start() {
        if (!parts.groups().hasMetUnknown()) {
            done = true;
            return;
        }
        again = true;
        done = false;
        if (running == null && !stopped) {
            running = new Thread(this::countUntilDone, "cache-recount");
            running.setDaemon(true);
            running.start();
        }
    }

    boolean isDone() {
        return done;
    }

    /** Ends it, and waits for that, unless a disk hangs. */
    void stop() {
        @Nullable Thread thread;
        synchronized (this) {
            stopped = true;
            thread = running;
        }
        if (thread != null) {
            LockSupport.unpark(thread);
            try {
                thread.join(PATIENCE_MILLIS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private void countUntilDone() {
        try {
            while (goesOn()) {
                beganAt = System.nanoTime();
                countAll();
            }
            log.info("{} records of earlier runs were read to be counted", counted);
        } finally {
            ended();
        }
    }

    /** Also if it broke: then the next start begins anew. */
    private synchronized void ended() {
        if (Thread.currentThread().equals(running)) {
            running = null;
        }
    }

    private void countAll() {
        List<Segment> left = uncounted(parts.segments().all());
        for (long pause = SECOND_NANOS; !left.isEmpty() && isToTryAgain(); pause = Math.min(2 * pause, LONGEST_PAUSE)) {
            LockSupport.parkNanos(pause);
            left = uncounted(left);
        }
    }

    private List<Segment> uncounted(List<Segment> segments) {
        return segments.stream().filter(segment -> !countSafely(segment)).toList();
    }

    /** Not where all is looked at once more in any case. */
    private synchronized boolean isToTryAgain() {
        return !stopped && !again;
    }

    private synchronized boolean goesOn() {
        boolean more = again && !stopped;
        again = false;
        if (!more) {
            running = null;
            done = !stopped;
        }
        return more;
    }

    /** Whether nothing of a segment is left to be counted. */
    private boolean countSafely(Segment segment) {
        // A lost disk hangs for good, and lets its segments go.
        while (!stopped && segment.home().reads().mayHang() && isThere(segment)) {
            LockSupport.parkNanos(SECOND_NANOS);
        }
        if (stopped || !isThere(segment) || !segment.acquire()) {
            return true;
        }
        try {
            count(segment);
            return true;
        } catch (IOException | RuntimeException e) {
            log.warn("What is in segment {} cannot be counted, it is tried again: {}", segment.number(), e.toString());
            return false;
        } finally {
            segment.release();
        }
    }

    private boolean isThere(Segment segment) {
        return parts.segments().get(segment.number()) != null;
    }

    /** One that this run has not sealed yet has labels of this run. */
    private List<Footer.Line> lines(Segment segment) throws IOException {
        return segment.number() <= lastFound || segment.number() != segment.named()
                ? Footer.of(segment.file()).lines()
                : Footer.read(segment.file()).map(Footer::lines).orElse(List.of());
    }

    private void count(Segment segment) throws IOException {
        for (Footer.Line line : lines(segment)) {
            if (stopped) {
                return;
            }
            if (line.kind() != Kind.TOMBSTONE && parts.groups().group(line.label()) == Groups.UNKNOWN) {
                count(segment, line);
            }
        }
    }

    private void count(Segment segment, Footer.Line line) throws IOException {
        boolean asHead = isUncounted(segment, line, line.key());
        @Nullable Fingerprint block = line.kind() == Kind.OBJECT ? parts.hash().of(line.version(), 0) : null;
        boolean asBlock = block != null && isUncounted(segment, line, block);
        if (!asHead && !asBlock) {
            return;
        }
        Optional<ByteBuffer> headPart = line.headPart(segment.file());
        if (headPart.isPresent()) {
            int group = parts.groups().groupOf(headPart.get());
            // Of a segment and a place there is one record, so what was found there is what is counted.
            long place = line.entry(segment.number()).place();
            parts.index().regroup(line.key(), place, group);
            if (block != null) {
                parts.index().regroup(block, place, group);
            }
        }
        rest();
    }

    private boolean isUncounted(Segment segment, Footer.Line line, Fingerprint key) {
        Entry entry = parts.index().find(key);
        return entry != null && entry.leadsTo(segment.number(), line.start()) && entry.group() == Groups.UNKNOWN;
    }

    private void rest() {
        counted++;
        if (counted % PIECE == 0) {
            LockSupport.parkNanos(System.nanoTime() - beganAt);
            beganAt = System.nanoTime();
        }
    }
}
