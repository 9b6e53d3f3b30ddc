package io.millrace.cache.metadata;

import io.millrace.kit.async.DaemonThreads;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Mono;
import reactor.core.publisher.MonoSink;

/**
 * The threads that access the metadata store, so that no event loop waits for it. A read that takes longer than a
 * second completes empty, and so do all others until it ends: a hanging store costs only misses. The threads are never
 * interrupted.
 */
final class MetadataThreads implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(MetadataThreads.class);

    private static final int READERS = 4;
    private static final int DELETERS = 4;

    /** The maximum number of queued deletions; further ones raise the stale epoch. */
    private static final int MOST_DELETIONS = 10_000;

    private static final int MOST_SCANS = 1000;

    /**
     * The interval of the watchdog. Each step counts as this long, however long it took, because a paused process is
     * not a hanging store.
     */
    private static final long STEP_MILLIS = 100;

    private static final int DEADLINE_STEPS = 10;
    private static final int CLOSE_SECONDS = 5;

    private final ExecutorService readers;
    private final ExecutorService deleters;
    private final ExecutorService scans;
    private final ExecutorService notifier = threads("metadata-timeout", 1, new LinkedBlockingQueue<>());
    private final Set<Read<?>> reads = ConcurrentHashMap.newKeySet();
    private final CountDownLatch closed = new CountDownLatch(1);
    private final AtomicInteger steps = new AtomicInteger();
    private volatile boolean hangs;

    MetadataThreads() {
        this(
                threads("metadata-read", READERS, new LinkedBlockingQueue<>()),
                threads("metadata-delete", DELETERS, new ArrayBlockingQueue<>(MOST_DELETIONS)),
                threads("metadata-scan", 1, new ArrayBlockingQueue<>(MOST_SCANS)));
        DaemonThreads.start("metadata-watch", this::watch);
    }

    /** Uses these executors, without a watchdog. */
    MetadataThreads(ExecutorService readers, ExecutorService deleters, ExecutorService scans) {
        this.readers = readers;
        this.deleters = deleters;
        this.scans = scans;
    }

    /** A pending read of the store. */
    private final class Read<T> implements Runnable {
        private final Supplier<Optional<T>> operation;
        private final MonoSink<T> sink;
        private final int came = steps.get();
        private final AtomicBoolean completed = new AtomicBoolean();

        Read(Supplier<Optional<T>> operation, MonoSink<T> sink) {
            this.operation = operation;
            this.sink = sink;
        }

        @Override
        public void run() {
            Optional<T> found = Optional.empty();
            try {
                // A read that has timed out in the queue is skipped.
                found = completed.get() ? found : operation.get();
            } catch (RuntimeException | OutOfMemoryError e) {
                log.error("The metadata store cannot be read", e);
            } finally {
                reads.remove(this);
            }
            complete(found);
        }

        void complete(Optional<T> found) {
            if (completed.compareAndSet(false, true)) {
                found.ifPresentOrElse(sink::success, sink::success);
            }
        }

        void fail() {
            if (completed.compareAndSet(false, true)) {
                sink.error(new MetadataStoreUnavailableException());
            }
        }

        boolean isLate(int now) {
            return now - came > DEADLINE_STEPS;
        }
    }

    /**
     * Reads the store on one of the threads; empty if nothing is found. Fails with a {@link
     * MetadataStoreUnavailableException} if it hangs.
     */
    <T> Mono<T> read(Supplier<Optional<T>> operation) {
        return Mono.create(sink -> {
            if (hangs) {
                sink.error(new MetadataStoreUnavailableException());
                return;
            }
            Read<T> read = new Read<>(operation, sink);
            reads.add(read);
            try {
                readers.execute(read);
            } catch (RejectedExecutionException closing) {
                reads.remove(read);
                read.fail();
            }
        });
    }

    /**
     * Runs a deletion on one of the threads.
     *
     * @throws RejectedExecutionException if too many are queued
     */
    void delete(Runnable deletion) {
        deleters.execute(deletion);
    }

    /** Returns whether the queue of deletions is half full. */
    boolean areDeletionsQueued() {
        return deleters instanceof ThreadPoolExecutor pool && pool.getQueue().size() >= MOST_DELETIONS / 2;
    }

    /**
     * Runs a scan on the scan thread.
     *
     * @throws RejectedExecutionException if too many are queued
     */
    void scan(Runnable scan) {
        scans.execute(scan);
    }

    /** Returns whether reads complete empty because an earlier one has not ended. */
    boolean isHanging() {
        return hangs;
    }

    private void watch() {
        try {
            while (!closed.await(STEP_MILLIS, TimeUnit.MILLISECONDS)) {
                checkDeadlines(steps.incrementAndGet());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void checkDeadlines(int now) {
        List<Read<?>> lateReads =
                reads.stream().filter(read -> read.isLate(now)).toList();
        boolean late = !lateReads.isEmpty();
        if (late && !hangs) {
            log.warn("The metadata store hangs; until it responds, objects are requested anew; check its disk");
        } else if (!late && hangs) {
            log.info("The metadata store responds again");
        }
        // Before the readers hear of it: what they read next must not wait as long again.
        hangs = late;
        lateReads.stream().filter(read -> !read.completed.get()).forEach(read -> notifier.execute(read::fail));
    }

    /** Waits some seconds for running operations; leaves hanging ones alone. */
    @Override
    public void close() {
        readers.shutdown();
        deleters.shutdown();
        scans.shutdown();
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(CLOSE_SECONDS);
        try {
            boolean ended = true;
            for (ExecutorService pool : List.of(deleters, readers, scans)) {
                ended &= pool.awaitTermination(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
            }
            if (!ended) {
                log.warn("An operation of the metadata store hangs at shutdown and is abandoned");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        closed.countDown();
        notifier.shutdown();
    }

    /** Returns whether all deletions have run; meaningful after {@link #close}. */
    boolean haveDeletionsEnded() {
        return deleters.isTerminated();
    }

    private static ThreadPoolExecutor threads(String name, int size, BlockingQueue<Runnable> queue) {
        ThreadPoolExecutor pool =
                new ThreadPoolExecutor(size, size, 30, TimeUnit.SECONDS, queue, new DefaultThreadFactory(name, true));
        pool.allowCoreThreadTimeOut(true);
        return pool;
    }
}
