package io.millrace.gateway.control;

import io.millrace.backend.spi.Backend;
import io.millrace.gateway.control.BackendCheck.BucketFinding;
import io.millrace.gateway.control.BackendCheck.Finding;
import io.millrace.gateway.control.BackendCheck.Findings;
import io.millrace.gateway.control.BackendCheck.State;
import io.millrace.gateway.objects.bucket.ClientBucketNames;
import io.millrace.gateway.objects.monitor.BackendFailureTracker;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.context.ApplicationListener;

/**
 * Checks each backend once after the start and logs the result. A backend that is down does not prevent the start, but
 * an operator who has just entered its address, keys or bucket names learns at once. Of the failures that {@link
 * BackendFailureTracker} warns of, as of those of any call, this says nothing more.
 */
public final class StartupBackendProbe implements ApplicationListener<ApplicationReadyEvent> {
    private static final Logger log = LoggerFactory.getLogger(StartupBackendProbe.class);

    /** Longer than the backends' own timeouts, so that their failure is the one reported. */
    private static final Duration TIMEOUT = Duration.ofSeconds(60);

    private final ClientBucketNames names;
    private final Map<String, Backend> backends;
    private final BackendFailureTracker failures;
    private final StateClock since;

    /**
     * @param failures those of the backends, which it has warned of
     * @param since learns what is found, so that a failure is known since the start
     */
    public StartupBackendProbe(
            ClientBucketNames names, Map<String, Backend> backends, BackendFailureTracker failures, StateClock since) {
        this.names = names;
        this.backends = backends;
        this.failures = failures;
        this.since = since;
    }

    @Override
    public void onApplicationEvent(ApplicationReadyEvent started) {
        backends.forEach((name, backend) -> new BackendCheck(name, backend, names, TIMEOUT)
                .run()
                .subscribe(
                        found -> {
                            remember(name, found);
                            logFindings(name, found);
                        },
                        failure -> log.error("Backend '{}' could not be checked", name, failure)));
    }

    private void remember(String name, Findings found) {
        Instant unused = BackendStates.since(since, name, found.backend().state());
        for (BucketFinding bucket : found.buckets()) {
            for (String shown : names.inSettings(name, bucket.bucket())) {
                unused = BackendStates.sinceOfBucket(
                        since, shown, bucket.finding().state());
            }
        }
    }

    private boolean isWarnedOf(String name, State state) {
        return state == State.REFUSES
                || (state.isOfBackend() && failures.last(name).isPresent());
    }

    private void logFindings(String name, Findings found) {
        Finding backend = found.backend();
        if (backend.state() != State.ANSWERS) {
            if (!isWarnedOf(name, backend.state())) {
                log.info(
                        "Backend '{}' {}: {}; millrace status shows its current state",
                        name,
                        backend.state().text(),
                        backend.message());
            }
            return;
        }
        long bad = found.buckets().stream()
                .filter(bucket -> bucket.finding().state() != State.ANSWERS)
                .count();
        if (bad == 0) {
            String left = found.leftOpen();
            log.info("Backend '{}' answers{}", name, left.isEmpty() ? "" : "; " + left);
        } else {
            log.info(
                    "Backend '{}' answers, but not for {} of its {} buckets",
                    name,
                    bad,
                    found.buckets().size());
        }
    }
}
