package io.millrace.cache.disk;

import io.millrace.cache.index.Fingerprint;
import io.millrace.cache.monitor.CacheEventListener;
import io.millrace.cache.monitor.LatencyWindow;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Queue of the blocks that wait to be written to one cache disk, in order. Each job completes exactly once: the writer
 * completes what it took, and {@link #giveUp} hands the rest to its caller. {@link #take}, {@link #isOver} and
 * {@link #end} are for the writer alone; the rest is safe for use by any number of threads.
 */
final class DiskWriteQueue {
    private static final Logger log = LoggerFactory.getLogger(DiskWriteQueue.class);

    /** Bytes of bodies that are written with one call. */
    private static final long BATCH_BYTES = 4 << 20;

    /** Records that are written with one call, for small blocks. */
    static final int BATCH_RECORDS = 256;

    private final Path folder;
    private final CacheEventListener recorder;
    private final BlockingQueue<Job> jobs = new LinkedBlockingQueue<>();
    private final AtomicLong bytes = new AtomicLong();
    private final LongAdder writes = new LongAdder();
    private final LongAdder writtenBytes = new LongAdder();
    private final LongAdder writtenNanos = new LongAdder();

    /** A job that only wakes the writer; it has no record. */
    private final Job wake =
            new Job(new BlockToWrite(Fingerprint.NONE, 0, ByteBuffer.allocate(0), List.of()), stored -> {});

    private volatile boolean closing;
    private volatile boolean ended;

    /** @param folder of the disk */
    DiskWriteQueue(Path folder, CacheEventListener recorder) {
        this.folder = folder;
        this.recorder = recorder;
    }

    /** A record to write. Taking it out of the queue gives exclusive ownership. */
    final class Job {
        private final BlockToWrite draft;
        private final BlockWriteCallback outcome;
        private final long queuedAt = System.nanoTime();
        private boolean completed;

        private Job(BlockToWrite draft, BlockWriteCallback outcome) {
            this.draft = draft;
            this.outcome = outcome;
        }

        BlockToWrite draft() {
            return draft;
        }

        /** Completes the job; only the first call counts. Does not fail. */
        void complete(boolean stored) {
            if (completed) {
                return;
            }
            completed = true;
            bytes.addAndGet(-draft.bodyBytes());
            try {
                outcome.written(stored);
                if (stored) {
                    writes.increment();
                    writtenBytes.add(draft.bodyBytes());
                    writtenNanos.add(System.nanoTime() - queuedAt);
                    recorder.stored(draft.bodyBytes());
                } else {
                    recorder.notStored(draft.bodyBytes());
                }
            } catch (RuntimeException | OutOfMemoryError e) {
                log.error("The callback of a write to {} failed", folder, e);
            }
        }
    }

    /** Queues a record; its body must not change before the callback. */
    void add(BlockToWrite draft, BlockWriteCallback outcome) {
        bytes.addAndGet(draft.bodyBytes());
        Job job = new Job(draft, outcome);
        jobs.add(job);
        if (ended && jobs.remove(job)) {
            job.complete(false);
        }
    }

    /** Returns the bytes of bodies that are queued or taken but not completed. */
    long bytes() {
        return bytes.get();
    }

    /** Returns the totals of the blocks that were written: their bodies, and the time since they were queued. */
    LatencyWindow.Totals written() {
        return new LatencyWindow.Totals(writes.sum(), writtenBytes.sum(), writtenNanos.sum());
    }

    /** Ends the queue: the writer takes what is queued, and then {@link #isOver} is true. */
    void close() {
        closing = true;
        wake();
    }

    /** Wakes the writer without a record. */
    void wake() {
        jobs.add(wake);
    }

    /**
     * Removes the jobs that the writer has not taken.
     *
     * @return the jobs, for the caller to complete
     */
    List<Job> giveUp() {
        List<Job> taken = new ArrayList<>();
        for (Job job : List.copyOf(jobs)) {
            // A job that the writer takes meanwhile is the writer's.
            if (job != wake && jobs.remove(job)) {
                taken.add(job);
            }
        }
        return taken;
    }

    /** Waits for a job, and takes as many as are written with one call; returns none if it was only woken. */
    List<Job> take() {
        List<Job> batch = new ArrayList<>();
        try {
            long taken = 0;
            for (Job job = jobs.take(); job != null && job != wake; job = isFull(batch, taken) ? null : jobs.poll()) {
                batch.add(job);
                taken += job.draft.bodyBytes() + job.draft.identity().remaining();
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException("a disk's writer is never interrupted", e);
        }
        return batch;
    }

    private static boolean isFull(List<Job> batch, long bytes) {
        return bytes >= BATCH_BYTES || batch.size() >= BATCH_RECORDS;
    }

    /** Returns whether the queue is closed and empty. */
    boolean isOver() {
        return closing && jobs.isEmpty();
    }

    /** Rejects everything that is queued now or later. */
    void end() {
        ended = true;
        for (Job late = jobs.poll(); late != null; late = jobs.poll()) {
            if (late != wake) {
                late.complete(false);
            }
        }
    }
}
