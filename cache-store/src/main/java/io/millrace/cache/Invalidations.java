package io.millrace.cache;

import io.millrace.cache.InvalidatedPrefixes.Mark;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Mono;

/**
 * What was invalidated by prefix, and the thread that does it, one after the other: each waits for its disk. Safe for use by any
 * number of threads.
 */
final class Invalidations implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(Invalidations.class);
    private static final long PATIENCE_SECONDS = 10;

    private final InvalidatedPrefixes prefixes;
    private final InvalidationLog file;
    private final ExecutorService thread;

    private Invalidations(InvalidatedPrefixes prefixes, InvalidationLog file) {
        this.prefixes = prefixes;
        this.file = file;
        ThreadPoolExecutor one =
                new ThreadPoolExecutor(1, 1, PATIENCE_SECONDS, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), task -> {
                    Thread made = new Thread(task, "cache-invalidations");
                    made.setDaemon(true);
                    return made;
                });
        one.allowCoreThreadTimeOut(true);
        this.thread = one;
    }

    /**
     * Reads what is remembered in this folder.
     *
     * @param expected whether there must be something
     * @param now the sequence number that all heads of this run are above
     */
    static Invalidations open(Path folder, boolean expected, long now) throws IOException {
        InvalidatedPrefixes prefixes = new InvalidatedPrefixes();
        return new Invalidations(prefixes, InvalidationLog.open(folder, prefixes, expected, now));
    }

    /** Whether a head with this number must be asked for before it is used. */
    boolean covers(ObjectId id, long sequence) {
        return prefixes.covers(id, sequence);
    }

    /** What makes an invalidation hold in memory. */
    interface Step {
        /** Takes it; the result is the sequence number that heads below must have at least. */
        long take();
    }

    /**
     * Takes a step and remembers that it was taken. Goes on if nobody waits for it. Fails with an {@link UncheckedIOException} if it
     * cannot be written: it holds all the same, until the next start.
     */
    Mono<Void> add(ObjectPrefix below, Step step) {
        return Mono.create(sink -> {
            try {
                thread.execute(() -> {
                    try {
                        file.append(new Mark(Optional.of(below), step.take()));
                        sink.success();
                    } catch (IOException e) {
                        sink.error(new UncheckedIOException(e));
                    } catch (RuntimeException | Error e) {
                        sink.error(e);
                    }
                });
            } catch (RejectedExecutionException closed) {
                sink.error(closed);
            }
        });
    }

    /** To be called by the step, before anything is looked up that shall be covered. */
    void mark(ObjectPrefix below, long sequence) {
        prefixes.add(below, sequence);
    }

    @Override
    public void close() {
        thread.shutdown();
        try {
            boolean ended = thread.awaitTermination(PATIENCE_SECONDS, TimeUnit.SECONDS);
            if (ended) {
                file.close();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (IOException e) {
            log.debug("The file of invalidations cannot be closed", e);
        }
    }
}
