package io.millrace.gateway.app;

import io.netty.util.concurrent.EventExecutor;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;

/**
 * Watch for event loops that end while the gateway serves. Netty ends the thread of a loop in which an {@link Error}
 * escapes, such as a StackOverflowError, but does not close its connections: they hang, and new ones still get to it,
 * while probes, which other loops answer, find nothing wrong. Started last and stopped first, because a stop ends all
 * loops.
 */
final class EventLoopWatch implements SmartLifecycle {
    private static final Logger log = LoggerFactory.getLogger(EventLoopWatch.class);

    private final Map<String, ? extends Iterable<EventExecutor>> loops;
    private final CompletableFuture<String> death = new CompletableFuture<>();
    private volatile boolean running;

    /** @param loops all that the gateway uses, by the name of what they serve */
    EventLoopWatch(Map<String, ? extends Iterable<EventExecutor>> loops) {
        this.loops = loops;
    }

    /** Returns what completes with the name of the loops of which the first has died; never, if none does. */
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

    @Override
    public void stop() {
        running = false;
    }

    @Override
    public boolean isRunning() {
        return running;
    }
}
