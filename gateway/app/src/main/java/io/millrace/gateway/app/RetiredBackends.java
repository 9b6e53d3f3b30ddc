package io.millrace.gateway.app;

import io.millrace.gateway.s3.observe.RequestsInFlight;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.core.publisher.Flux;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/**
 * Open backends that the settings in force no longer have. Each is closed once the requests of its snapshots have ended
 * and it has had no call for {@link #QUIET_CHECKS} checks: fills and jobs end a little later than the requests that
 * began them.
 */
final class RetiredBackends implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(RetiredBackends.class);
    private static final Duration INTERVAL = Duration.ofSeconds(1);
    private static final int QUIET_CHECKS = 10;

    private final Disposable.Swap checks = Disposables.swap();
    private final Scheduler timer;

    /** The requests of earlier snapshots. */
    private List<RequestsInFlight> earlier = new ArrayList<>();

    private List<Retired> backends = new ArrayList<>();

    /** A retired backend, and the number of checks since it was last in use. */
    private record Retired(OpenBackend open, List<RequestsInFlight> users, int quiet) {
        Retired checked() {
            boolean inUse = !open.isIdle() || users.stream().anyMatch(requests -> !requests.isEmpty());
            return new Retired(open, users, inUse ? 0 : quiet + 1);
        }
    }

    RetiredBackends() {
        this(Schedulers.parallel());
    }

    /** Checks on this scheduler. */
    RetiredBackends(Scheduler timer) {
        this.timer = timer;
    }

    /**
     * Adds backends.
     *
     * @param requests those of the last snapshot that had the backends
     */
    synchronized void add(List<OpenBackend> left, RequestsInFlight requests) {
        earlier.removeIf(RequestsInFlight::isEmpty);
        earlier.add(requests);
        if (left.isEmpty()) {
            return;
        }
        List<RequestsInFlight> users = List.copyOf(earlier);
        left.forEach(backend -> backends.add(new Retired(backend, users, 0)));
        checks.update(Flux.interval(INTERVAL, timer)
                .onBackpressureDrop()
                .subscribe(tick -> check(), RetiredBackends::logFailure));
    }

    /** Closes those that have been out of use for long enough. */
    synchronized void check() {
        List<Retired> inUse = new ArrayList<>();
        for (Retired backend : backends) {
            Retired now = backend.checked();
            if (now.quiet() < QUIET_CHECKS) {
                inUse.add(now);
            } else {
                close(now.open());
            }
        }
        backends = inUse;
        if (backends.isEmpty()) {
            checks.update(Disposables.disposed());
        }
    }

    private static void close(OpenBackend open) {
        open.backend()
                .close()
                .subscribe(
                        done -> {},
                        RetiredBackends::logFailure,
                        () -> log.info("Backend '{}' of earlier settings is closed", open.name()));
    }

    private static void logFailure(Throwable failure) {
        log.warn("A backend of earlier settings did not close cleanly", failure);
    }

    /** Closes all at once. */
    @Override
    public synchronized void close() {
        checks.dispose();
        backends.forEach(backend ->
                new OpenBackends(Map.of(backend.open().name(), backend.open().backend())).close());
        backends = new ArrayList<>();
        earlier = new ArrayList<>();
    }
}
