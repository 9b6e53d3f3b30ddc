package io.millrace.gateway.audit;

import io.micrometer.core.instrument.Counter;
import io.millrace.kit.async.DaemonThreads;
import io.millrace.kit.file.LineTarget;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A writer of a log's entries: takes them without blocking, and appends them to the log's target by a thread of its
 * own. While that fails they wait, and those that find no room are lost, counted, and warned of once a minute. Safe for
 * use by any number of threads.
 *
 * @param <E> an entry of the log
 */
public final class AsyncLogWriter<E> implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(AsyncLogWriter.class);

    /** How many entries may wait. */
    public static final int CAPACITY = 16_384;

    private static final int BATCH = 512;
    private static final long RETRY_MILLIS = 1000;
    private static final long CLOSE_MILLIS = 5000;
    private static final long WARNING_NANOS = Duration.ofMinutes(1).toNanos();

    private final Subject subject;
    private final LineTarget target;
    private final Function<List<E>, byte[]> format;
    private final Counter lines;
    private final Counter lost;
    private final BlockingQueue<E> waiting = new ArrayBlockingQueue<>(CAPACITY);
    private final Thread thread;
    private double warnedOf;
    private long warnedAt;
    private volatile boolean failing;
    private volatile boolean closing;

    /**
     * The log as messages call it.
     *
     * @param thread the name of its thread
     * @param name what it is, and where
     * @param consequence what happens while it cannot be written
     */
    public record Subject(String thread, String name, String consequence) {}

    private AsyncLogWriter(
            Subject subject, LineTarget target, Function<List<E>, byte[]> format, Counter lines, Counter lost) {
        this.subject = subject;
        this.target = target;
        this.format = format;
        this.lines = lines;
        this.lost = lost;
        this.warnedOf = lost.count();
        this.warnedAt = System.nanoTime() - WARNING_NANOS;
        this.thread = DaemonThreads.create(subject.thread(), this::write);
    }

    /**
     * Starts the writer of a target that can be written.
     *
     * @param format makes lines of entries
     * @param lines counts what is written
     * @param lost counts what is not
     */
    public static <E> AsyncLogWriter<E> start(
            Subject subject, LineTarget target, Function<List<E>, byte[]> format, Counter lines, Counter lost) {
        AsyncLogWriter<E> started = new AsyncLogWriter<>(subject, target, format, lines, lost);
        started.thread.start();
        return started;
    }

    /** Warns that a log's file, which can be written, cannot be renamed, or an older one not be deleted. */
    public static void warnNotRotated(Subject subject, IOException cause) {
        log.warn(
                "{} is larger than its rotate-at, or older ones are more than its keep ({}). It is written further, and"
                        + " that is tried again in a minute. Let this user write to its folder",
                subject.name(),
                cause.toString());
    }

    /** Takes an entry; it is lost if too many wait. */
    public void write(E entry) {
        if (!waiting.offer(entry)) {
            lose();
        }
    }

    /** Counts an entry that its log does not write. */
    public void lose() {
        lost.increment();
    }

    /** Returns how many entries wait. */
    public int waiting() {
        return waiting.size();
    }

    /** Returns whether the target cannot be written. */
    public boolean isFailing() {
        return failing;
    }

    /** Writes what waits, for some seconds at most, and closes the target. */
    @Override
    public void close() throws InterruptedException {
        closing = true;
        thread.join(CLOSE_MILLIS);
        if (thread.isAlive()) {
            log.error("{} could not be written to its end in time: its last lines may be missing", subject.name());
        }
    }

    private void write() {
        List<E> batch = new ArrayList<>(BATCH);
        try {
            while (!closing || !waiting.isEmpty()) {
                E first = waiting.poll(RETRY_MILLIS / 10, TimeUnit.MILLISECONDS);
                if (first != null) {
                    batch.add(first);
                    waiting.drainTo(batch, BATCH - 1);
                    append(batch);
                    batch.clear();
                }
                warn(WARNING_NANOS);
            }
            warn(0);
            target.close();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (IOException e) {
            log.error("{} could not be closed: its last lines may be missing", subject.name(), e);
        }
    }

    /** Tries again until the batch is written; meanwhile entries wait, and then are lost. */
    private void append(List<E> batch) throws InterruptedException {
        byte[] text = format.apply(batch);
        while (true) {
            try {
                target.append(text);
                if (failing) {
                    log.warn("{} is written again", subject.name());
                }
                failing = false;
                // Last, so that who sees it counted sees it is written again.
                lines.increment(batch.size());
                return;
            } catch (IOException e) {
                failed(e);
                if (closing) {
                    lost.increment(batch.size());
                    return;
                }
                warn(WARNING_NANOS);
                TimeUnit.MILLISECONDS.sleep(RETRY_MILLIS);
            }
        }
    }

    private void failed(IOException e) {
        if (!failing) {
            log.error(
                    "{} cannot be written ({}). Until it can, {}. Make room, or repair its file system",
                    subject.name(),
                    e.toString(),
                    subject.consequence());
        }
        failing = true;
    }

    /**
     * Warns of lost entries if there was no such warning for some time. By this thread, since the log of warnings may
     * block.
     */
    private void warn(long pauseNanos) {
        double count = lost.count();
        long now = System.nanoTime();
        if (count > warnedOf && now - warnedAt >= pauseNanos) {
            long more = (long) (count - warnedOf);
            log.warn("{} lacks {} more lines: they could not be written, or not fast enough", subject.name(), more);
            warnedOf = count;
            warnedAt = now;
        }
    }
}
