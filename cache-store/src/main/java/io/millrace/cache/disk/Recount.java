package io.millrace.cache.disk;

import io.millrace.cache.group.Groups;
import io.millrace.cache.index.Entry;
import io.millrace.cache.index.Fingerprint;
import io.millrace.cache.index.Kind;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Counts what earlier runs left without a label that says where it belongs today: records of before there were labels, and those that another
 * set of prefixes was named for. Each is read up to its body, on a thread of its own that rests as long as it works.
 */
final class Recount {
    private static final Logger log = LoggerFactory.getLogger(Recount.class);

    /** Records between two rests. */
    private static final int PIECE = 256;

    private final StoreParts parts;
    private final int lastFound;
    private final Thread thread = new Thread(this::countAll, "cache-recount");
    private volatile boolean begun;
    private volatile boolean done;
    private volatile boolean stopped;
    private long counted;
    private long beganAt;

    /** @param lastFound the last segment of earlier runs */
    Recount(StoreParts parts, int lastFound) {
        this.parts = parts;
        this.lastFound = lastFound;
        thread.setDaemon(true);
    }

    /** Begins, if there is something to count. All that is on the disks must be known. */
    synchronized void start() {
        if (!parts.groups().hasMetUnknown()) {
            done = true;
        } else if (!stopped) {
            begun = true;
            thread.start();
        }
    }

    boolean isDone() {
        return done;
    }

    /** Ends it, and waits for that. */
    void stop() {
        synchronized (this) {
            stopped = true;
        }
        if (begun) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private void countAll() {
        beganAt = System.nanoTime();
        for (Segment segment : parts.segments().all()) {
            if (!stopped && segment.number() <= lastFound && segment.acquire()) {
                try {
                    count(segment);
                } catch (IOException e) {
                    log.warn("What is in segment {} cannot be counted: {}", segment.number(), e.toString());
                } finally {
                    segment.release();
                }
            }
        }
        done = !stopped;
        log.info("{} records of earlier runs were read to be counted", counted);
    }

    private void count(Segment segment) throws IOException {
        for (Footer.Line line : Footer.of(segment.file()).lines()) {
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
