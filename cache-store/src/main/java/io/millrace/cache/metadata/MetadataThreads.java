package io.millrace.cache.metadata;

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
 * The threads that read and change the metadata store, so that no event loop ever does. A read that takes longer than a second is answered
 * by nothing, and so is every other until it ends: a store that hangs costs misses. Its threads are never interrupted.
 */
final class MetadataThreads implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(MetadataThreads.class);

    private static final int READERS = 4;
    private static final int DELETERS = 4;

    /** Deletions that wait: what comes beyond raises the stale epoch. */
    private static final int MOST_DELETIONS = 10_000;

    private static final int MOST_SCANS = 1000;

    /** Steps of the watch, each of which counts as so much however long it took: a process that stood still is not a store that hangs. */
    private static final long STEP_MILLIS = 100;

    private static final int DEADLINE_STEPS = 10;
    private static final int CLOSE_SECONDS = 5;

    private final ExecutorService readers;
    private final ExecutorService deleters;
    private final ExecutorService scans;
    private final ExecutorService telling = threads("metadata-tell-", 1, new LinkedBlockingQueue<>());
    private final Set<Read<?>> reads = ConcurrentHashMap.newKeySet();
    private final CountDownLatch closed = new CountDownLatch(1);
    private final AtomicInteger steps = new AtomicInteger();
    private volatile boolean hangs;

    MetadataThreads() {
        this(
                threads("metadata-read-", READERS, new LinkedBlockingQueue<>()),
                threads("metadata-delete-", DELETERS, new ArrayBlockingQueue<>(MOST_DELETIONS)),
                threads("metadata-scan-", 1, new ArrayBlockingQueue<>(MOST_SCANS)));
        Thread watch = new Thread(this::watch, "metadata-watch");
        watch.setDaemon(true);
        watch.start();
    }

    /** These, which nobody watches. */
    MetadataThreads(ExecutorService readers, ExecutorService deleters, ExecutorService scans) {
        this.readers = readers;
        this.deleters = deleters;
        this.scans = scans;
    }

    /** A read that somebody waits for. */
    private final class Read<T> implements Runnable {
        private final Supplier<Optional<T>> operation;
        private final MonoSink<T> sink;
        private final int came = steps.get();
        private final AtomicBoolean answered = new AtomicBoolean();

        Read(Supplier<Optional<T>> operation, MonoSink<T> sink) {
            this.operation = operation;
            this.sink = sink;
        }

        @Override
        public void run() {
            Optional<T> found = Optional.empty();
            try {
                // Nobody waits any more for one that was answered in the queue.
                found = answered.get() ? found : operation.get();
            } catch (RuntimeException | OutOfMemoryError e) {
                log.error("The metadata store cannot be read", e);
            } finally {
                reads.remove(this);
            }
            answer(found);
        }

        void answer(Optional<T> found) {
            if (answered.compareAndSet(false, true)) {
                found.ifPresentOrElse(sink::success, sink::success);
            }
        }

        void fail() {
            if (answered.compareAndSet(false, true)) {
                sink.error(new MetadataUnavailableException());
            }
        }

        boolean isLate(int now) {
            return now - came > DEADLINE_STEPS;
        }
    }

    /** Reads on one of the threads; empty if nothing is found, or if the store hangs. */
    <T> Mono<T> read(Supplier<Optional<T>> operation) {
        return readOrFail(operation).onErrorComplete(MetadataUnavailableException.class);
    }

    /** The same; fails with a {@link MetadataUnavailableException} if the store hangs. */
    <T> Mono<T> readOrFail(Supplier<Optional<T>> operation) {
        return Mono.create(sink -> {
            if (hangs) {
                sink.error(new MetadataUnavailableException());
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
     * @throws RejectedExecutionException if too many wait
     */
    void delete(Runnable deletion) {
        deleters.execute(deletion);
    }

    /**
     * Runs what reads many entries, one after another.
     *
     * @throws RejectedExecutionException if too many wait
     */
    void scan(Runnable scan) {
        scans.execute(scan);
    }

    /** Whether reads are answered by nothing because an earlier one has not ended. */
    boolean hang() {
        return hangs;
    }

    private void watch() {
        try {
            while (!closed.await(STEP_MILLIS, TimeUnit.MILLISECONDS)) {
                judge(steps.incrementAndGet());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void judge(int now) {
        boolean late = false;
        for (Read<?> read : reads) {
            if (read.isLate(now)) {
                late = true;
                if (!read.answered.get()) {
                    telling.execute(read::fail);
                }
            }
        }
        if (late && !hangs) {
            log.warn("The metadata store hangs: until it goes on, objects are asked for as if they were not known");
        } else if (!late && hangs) {
            log.info("The metadata store goes on");
        }
        hangs = late;
    }

    /** Waits some seconds for what is under way; what hangs is left alone. */
    @Override
    public void close() {
        readers.shutdown();
        deleters.shutdown();
        scans.shutdown();
        try {
            boolean ended = readers.awaitTermination(CLOSE_SECONDS, TimeUnit.SECONDS)
                    && deleters.awaitTermination(CLOSE_SECONDS, TimeUnit.SECONDS)
                    && scans.awaitTermination(CLOSE_SECONDS, TimeUnit.SECONDS);
            if (!ended) {
                log.warn("An operation of the metadata store hangs: it is left as it is");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        closed.countDown();
        telling.shutdown();
    }

    private static ThreadPoolExecutor threads(String name, int most, BlockingQueue<Runnable> queue) {
        AtomicInteger count = new AtomicInteger();
        ThreadPoolExecutor pool = new ThreadPoolExecutor(most, most, 30, TimeUnit.SECONDS, queue, task -> {
            Thread thread = new Thread(task, name + count.incrementAndGet());
            thread.setDaemon(true);
            return thread;
        });
        pool.allowCoreThreadTimeOut(true);
        return pool;
    }
}
