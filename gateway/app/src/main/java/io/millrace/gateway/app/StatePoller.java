package io.millrace.gateway.app;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;

/**
 * Looks at all states once a minute, so that it is known since when they are what they are though nobody else looks.
 * Backends get a request only if they are in trouble.
 */
final class StatePoller implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(StatePoller.class);
    private static final Duration STEP = Duration.ofMinutes(1);

    private final Runnable local;
    private final Supplier<Mono<Void>> backends;
    private final Scheduler clock;
    private @Nullable Disposable steps;

    /**
     * @param local looks at what costs nothing
     * @param backends looks at backends in trouble
     */
    StatePoller(Runnable local, Supplier<Mono<Void>> backends, Scheduler clock) {
        this.local = local;
        this.backends = backends;
        this.clock = clock;
    }

    void start() {
        steps = clock.schedulePeriodically(this::observe, STEP.toMillis(), STEP.toMillis(), TimeUnit.MILLISECONDS);
    }

    private void observe() {
        try {
            local.run();
            backends.get().subscribe(unused -> {}, StatePoller::failed);
        } catch (RuntimeException e) {
            failed(e);
        }
    }

    private static void failed(Throwable failure) {
        log.warn("The states of this minute are not known: looking at them failed", failure);
    }

    @Override
    public void close() {
        if (steps != null) {
            steps.dispose();
        }
    }
}
