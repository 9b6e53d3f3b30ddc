package io.millrace.cache.disk;

import io.millrace.cache.disk.segment.BlockDraft;
import io.millrace.cache.index.Fingerprint;
import io.millrace.cache.monitor.CacheRecorder;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Records that wait to be written to one disk, in the order they came. Of each it is told once what became of it: by the writer who
 * took it, or by whoever gave it up before. {@link #take}, {@link #isOver} and {@link #end} are for the writer alone; the rest is safe
 * for use by any number of threads.
 */
final class WriteQueue {
    private static final Logger log = LoggerFactory.getLogger(WriteQueue.class);

    /** Written with one call. */
    private static final long BATCH_BYTES = 4 << 20;

    /** Written with one call, of small blocks. */
    static final int BATCH_RECORDS = 256;

    private final Path folder;
    private final CacheRecorder recorder;
    private final BlockingQueue<Job> jobs = new LinkedBlockingQueue<>();
    private final AtomicLong bytes = new AtomicLong();

    /** Lets the writer look around; no record. */
    private final Job wake =
            new Job(new BlockDraft(Fingerprint.NONE, 0, ByteBuffer.allocate(0), List.of()), stored -> {});

    private volatile boolean closing;
    private volatile boolean ended;

    /** @param folder the disk's */
    WriteQueue(Path folder, CacheRecorder recorder) {
        this.folder = folder;
        this.recorder = recorder;
    }

    /** A record to write. Whoever took it out of the queue has it alone. */
    final class Job {
        private final BlockDraft draft;
        private final WriteCallback outcome;
        private boolean told;

        private Job(BlockDraft draft, WriteCallback outcome) {
            this.draft = draft;
            this.outcome = outcome;
        }

        BlockDraft draft() {
            return draft;
        }

        /** What became of it: the first word counts. Does not fail. */
        void tell(boolean stored) {
            if (told) {
                return;
            }
            told = true;
            bytes.addAndGet(-draft.bodyBytes());
            try {
                outcome.written(stored);
                if (stored) {
                    recorder.stored(draft.bodyBytes());
                } else {
                    recorder.notStored(draft.bodyBytes());
                }
            } catch (RuntimeException | OutOfMemoryError e) {
                log.error("Whoever wrote to {} failed on the outcome", folder, e);
            }
        }
    }

    /** Adds a record; its body must stay as it is until the outcome is told. */
    void add(BlockDraft draft, WriteCallback outcome) {
        bytes.addAndGet(draft.bodyBytes());
        Job job = new Job(draft, outcome);
        jobs.add(job);
        if (ended && jobs.remove(job)) {
            job.tell(false);
        }
    }

    /** Bytes of bodies that wait, those included that the writer has taken and not told of. */
    long bytes() {
        return bytes.get();
    }

    /** Nothing more comes: what is here is taken, and then it is over. */
    void close() {
        closing = true;
        wake();
    }

    /** Lets the writer look around though there is nothing to write. */
    void wake() {
        jobs.add(wake);
    }

    /**
     * Removes what the writer has not taken yet.
     *
     * @return for the caller to report on
     */
    List<Job> giveUp() {
        List<Job> taken = new ArrayList<>();
        for (Job job : List.copyOf(jobs)) {
            // What the writer takes meanwhile is his.
            if (job != wake && jobs.remove(job)) {
                taken.add(job);
            }
        }
        return taken;
    }

    /** Waits for something, and takes as much as is written with one call; nothing if it was woken. */
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

    /** Whether there is nothing to wait for any more. */
    boolean isOver() {
        return closing && jobs.isEmpty();
    }

    /** Nobody takes anything any more: what comes now, or has come, is given up. */
    void end() {
        ended = true;
        for (Job late = jobs.poll(); late != null; late = jobs.poll()) {
            if (late != wake) {
                late.tell(false);
            }
        }
    }
}
