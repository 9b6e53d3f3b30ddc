package io.millrace.cache.disk;

import io.millrace.cache.index.Fingerprint;
import io.millrace.cache.index.Kind;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One folder of segments. A thread of its own writes, a few others read; none of them is ever interrupted, since that would
 * close the file under everybody. Safe for use by any number of threads.
 */
final class Disk {
    private static final Logger log = LoggerFactory.getLogger(Disk.class);

    /** Written with one call. */
    private static final long BATCH_BYTES = 4 << 20;

    private static final int READ_THREADS = 8;

    /** A disk that fails is left alone for so long before it is tried again. */
    private static final long REST_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final DiskFolder folder;
    private volatile DiskMarker marker;
    private final long capacity;
    private final StoreParts parts;
    private final SegmentLog segments;
    private final BlockingQueue<Job> queue = new LinkedBlockingQueue<>();
    private final AtomicLong queued = new AtomicLong();
    private final ExecutorService reads;
    private final Thread writer;
    private volatile long restUntil;
    private volatile boolean resting;
    private volatile boolean stopped;
    private boolean closing;

    private record Job(RecordDraft draft, Outcome outcome, boolean last) {}

    /** Wakes the writer for the last time; not written. */
    private static final Job END = new Job(
            new RecordDraft(
                    Kind.TOMBSTONE, 0, Fingerprint.NONE, Fingerprint.NONE, 0, ByteBuffer.allocate(0), List.of()),
            stored -> {},
            true);

    /**
     * @param marker of this start, written already
     * @param segmentBytes of the largest segment
     */
    Disk(DiskFolder folder, DiskMarker marker, long capacity, long segmentBytes, StoreParts parts) {
        this.folder = folder;
        this.marker = marker;
        this.capacity = capacity;
        this.parts = parts;
        String name = "disk-" + folder.path().getFileName();
        this.reads = threads(name);
        Segment.Home home = new Segment.Home(reads, marker.doubtBelow());
        this.segments = new SegmentLog(folder.path(), marker.disk(), capacity, segmentBytes, home, parts);
        this.writer = new Thread(this::writeAll, name + "-writer");
        writer.setDaemon(true);
    }

    /** Begins to write. What is on the disk already is read by {@link #recover}. */
    void start() {
        writer.start();
    }

    Path path() {
        return folder.path();
    }

    long capacity() {
        return capacity;
    }

    /** Bytes its segments take, those included that are removed and still read. */
    long used() {
        return segments.used();
    }

    /** Whether writing is worth a try. */
    boolean takesWrites() {
        return !resting || System.nanoTime() - restUntil >= 0;
    }

    /** Whether something has to go before much more is written. */
    boolean isFull() {
        return segments.isFull();
    }

    /** Bytes that wait to be written. */
    long queued() {
        return queued.get();
    }

    /** Writes a record, in the order of these calls. The draft's body must stay as it is until the outcome is told. */
    void write(RecordDraft draft, Outcome outcome) {
        queued.addAndGet(draft.bodyBytes());
        Job job = new Job(draft, outcome, false);
        queue.add(job);
        if (stopped && queue.remove(job)) {
            tell(job, false);
        }
    }

    /** Reads what earlier runs left on the disk into the index; blocks until all is known. */
    void recover(List<FoundSegment> files) {
        try {
            new Recovery(marker.disk(), segments, parts, reads).run(files);
        } finally {
            segments.recovered();
        }
    }

    /**
     * Heads that are here now have to be asked for after the next start: one that was to be replaced or taken out still lies
     * here. On another thread, since it waits for the disk.
     */
    void doubtAfterNextStart() {
        synchronized (this) {
            if (marker.isDoubted()) {
                return;
            }
            marker = marker.doubted();
        }
        reads.execute(() -> {
            try {
                marker.write(folder.path());
            } catch (IOException e) {
                log.warn("The marker of {} cannot be written: {}", folder.path(), e.toString());
            }
        });
    }

    /** Whether a segment is one of this disk's. */
    boolean has(Segment segment) {
        return segment.home().reads() == reads;
    }

    /** Files of earlier runs, which {@link #recover} will read. */
    void expect(List<FoundSegment> files) {
        files.forEach(file -> segments.expect(file.bytes()));
    }

    /** Writes what waits, ends the open segment, and says that all is in order. */
    void close() {
        queue.add(END);
        try {
            writer.join();
            reads.shutdown();
            if (!reads.awaitTermination(60, TimeUnit.SECONDS)) {
                log.warn("Reads of {} do not end", folder.path());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        try {
            marker.stopped().write(folder.path());
        } catch (IOException e) {
            log.warn("The cache folder {} cannot be closed in order: {}", folder.path(), e.toString());
        }
        try {
            folder.close();
        } catch (IOException e) {
            log.warn("The lock of {} cannot be given back: {}", folder.path(), e.toString());
        }
    }

    private void writeAll() {
        List<Job> batch = new ArrayList<>();
        while (!closing || !queue.isEmpty()) {
            batch.clear();
            take(batch);
            if (!batch.isEmpty()) {
                write(batch);
            }
        }
        segments.close();
        stopped = true;
        for (Job late = queue.poll(); late != null; late = queue.poll()) {
            tell(late, false);
        }
    }

    /** Waits for work, and takes as much of it as is written with one call. */
    private void take(List<Job> batch) {
        try {
            Job job = queue.take();
            long bytes = 0;
            while (job != null && !job.last()) {
                batch.add(job);
                bytes += job.draft().bodyBytes();
                job = bytes < BATCH_BYTES ? queue.poll() : null;
            }
            closing = closing || (job != null && job.last());
        } catch (InterruptedException e) {
            throw new IllegalStateException("a disk's writer is never interrupted", e);
        }
    }

    private void write(List<Job> batch) {
        int handedOver = 0;
        try {
            if (takesWrites()) {
                for (Job job : batch) {
                    if (segments.takes(job.draft())) {
                        segments.append(job.draft(), stored -> tell(job, stored));
                    } else {
                        tell(job, false);
                    }
                    handedOver++;
                }
                segments.flush();
                resting = false;
            }
        } catch (IOException | RuntimeException | OutOfMemoryError e) {
            rest(e);
        }
        batch.subList(handedOver, batch.size()).forEach(job -> tell(job, false));
    }

    private void tell(Job job, boolean stored) {
        queued.addAndGet(-job.draft().bodyBytes());
        if (stored) {
            parts.recorder().stored(job.draft().bodyBytes());
        } else {
            parts.recorder().notStored(job.draft().bodyBytes());
        }
        try {
            job.outcome().written(stored);
        } catch (RuntimeException e) {
            log.error("Whoever wrote to {} failed on the outcome", folder.path(), e);
        }
    }

    private void rest(Throwable failure) {
        parts.recorder().diskError();
        restUntil = System.nanoTime() + REST_NANOS;
        resting = true;
        log.warn(
                "Writing to the cache folder {} failed, it rests for {} s: {}",
                folder.path(),
                TimeUnit.NANOSECONDS.toSeconds(REST_NANOS),
                failure.toString());
        segments.abandon();
    }

    private static ExecutorService threads(String name) {
        AtomicInteger count = new AtomicInteger();
        ThreadPoolExecutor pool = new ThreadPoolExecutor(
                READ_THREADS, READ_THREADS, 30, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), task -> {
                    Thread thread = new Thread(task, name + "-reader-" + count.incrementAndGet());
                    thread.setDaemon(true);
                    return thread;
                });
        pool.allowCoreThreadTimeOut(true);
        return pool;
    }
}
