package io.millrace.gateway.app;

import io.netty.util.concurrent.EventExecutor;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;

/**
 * Watch for threads that die while the gateway serves. Started last and stopped first, because a stop ends all of them.
 *
 * <p>Netty ends the thread of an event loop in which an {@link Error} escapes, such as a StackOverflowError, but does
 * not close its connections: they hang, and new ones still get to it, while probes, which other loops answer, find
 * nothing wrong. Of other threads the JVM would print what escapes past the log and go on; many are the only one of
 * their kind, as the writer of a disk, and after an error nobody knows what they have left half done.
 */
final class ThreadWatch implements SmartLifecycle, Thread.UncaughtExceptionHandler {
    private static final Logger log = LoggerFactory.getLogger(ThreadWatch.class);

    private final Map<String, ? extends Iterable<EventExecutor>> loops;
    private final CompletableFuture<String> death = new CompletableFuture<>();
    private volatile boolean running;

    /** @param loops all that the gateway uses, by the name of what they serve */
    ThreadWatch(Map<String, ? extends Iterable<EventExecutor>> loops) {
        this.loops = loops;
    }

    /**
     * Returns what completes with the name of the loops of which the first has died, or of another thread; never, if
     * none does.
     */
    CompletableFuture<String> death() {
        return death;
    }

    @Override
    public void start() {
        running = true;
        loops.forEach(this::watch);
    }

    private void watch(String name, Iterable<EventExecutor> group) {
        for (EventExecutor loop : group) {
            loop.terminationFuture().addListener(ended -> onEnd(name));
        }
    }

    private void onEnd(String name) {
        if (running && !death.isDone()) {
            log.error(
                    "An event loop of {} has died of the error that io.netty logged just before, and its connections"
                            + " hang. Nothing but a new process mends that: this one ends, for its service manager to"
                            + " start it again. Please report that error",
                    name);
            death.complete(name);
        }
    }

    /** Takes what has escaped on a thread that is not an event loop's, and has ended it. */
    @Override
    public void uncaughtException(Thread thread, Throwable failure) {
        if (!running || !isUnrecoverable(failure)) {
            log.error("Thread {} has ended by what nothing expected. Please report it", thread.getName(), failure);
            return;
        }
        log.error(
                "Thread {} has died of an error. Nothing but a new process mends what it has left half done: this one"
                        + " ends, for its service manager to start it again. Please report that error",
                thread.getName(),
                failure);
        death.complete("thread " + thread.getName());
    }

    /** A lack of memory is not meant: of the heap it ends the process by itself, and of other memory only one task. */
    private static boolean isUnrecoverable(Throwable failure) {
        return failure instanceof Error && !(failure instanceof OutOfMemoryError);
    }

    @Override
    public void stop() {
        running = false;
    }

    @Override
    public boolean isRunning() {
        return running;
    }
}
