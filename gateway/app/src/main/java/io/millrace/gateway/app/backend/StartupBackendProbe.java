package io.millrace.gateway.app.backend;

import io.millrace.backend.spi.Backend;
import io.millrace.gateway.app.backend.BackendCheck.Finding;
import io.millrace.gateway.app.backend.BackendCheck.Findings;
import io.millrace.gateway.app.backend.BackendCheck.State;
import io.millrace.gateway.objects.bucket.ClientBucketNames;
import java.time.Duration;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.context.ApplicationListener;

/**
 * Speaks to each backend once after the start. A backend that is down keeps nobody from starting, but whoever just wrote its
 * address, keys or bucket names wants to know now: what fails is warned of as every failing call is, by {@code BackendFailureTracker}.
 */
public final class StartupBackendProbe implements ApplicationListener<ApplicationReadyEvent> {
    private static final Logger log = LoggerFactory.getLogger(StartupBackendProbe.class);

    /** Longer than backends wait by themselves, so that their failure is the one that is told. */
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final ClientBucketNames names;
    private final Map<String, Backend> backends;

    public StartupBackendProbe(ClientBucketNames names, Map<String, Backend> backends) {
        this.names = names;
        this.backends = backends;
    }

    @Override
    public void onApplicationEvent(ApplicationReadyEvent started) {
        backends.forEach((name, backend) -> new BackendCheck(backend, names.on(name), PATIENCE)
                .run()
                .subscribe(
                        found -> tell(name, found),
                        failure -> log.error("Backend '{}' could not be checked", name, failure)));
    }

    private static void tell(String name, Findings found) {
        Finding backend = found.backend();
        if (backend.state() != State.ANSWERS) {
            log.info(
                    "Backend '{}' {}: {}; millrace status tells how it gets on",
                    name,
                    backend.state().text(),
                    backend.message());
            return;
        }
        long bad = found.buckets().stream()
                .filter(bucket -> bucket.finding().state() != State.ANSWERS)
                .count();
        if (bad == 0) {
            log.info("Backend '{}' answers", name);
        } else {
            log.info(
                    "Backend '{}' answers, but not for {} of its {} buckets",
                    name,
                    bad,
                    found.buckets().size());
        }
    }
}
