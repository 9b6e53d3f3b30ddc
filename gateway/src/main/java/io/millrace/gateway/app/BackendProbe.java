package io.millrace.gateway.app;

import io.millrace.backend.spi.Backend;
import io.millrace.backend.spi.BucketName;
import io.millrace.gateway.bucket.BucketSettings;
import io.millrace.gateway.observe.LogText;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.context.ApplicationListener;
import reactor.core.publisher.Mono;

/**
 * Speaks to each backend once after the start and says what is wrong. A backend that is down keeps nobody from starting,
 * but whoever just wrote its address or keys wants to know now.
 */
final class BackendProbe implements ApplicationListener<ApplicationReadyEvent> {
    private static final Logger log = LoggerFactory.getLogger(BackendProbe.class);
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private final List<BucketSettings> buckets;
    private final Map<String, Backend> backends;

    BackendProbe(List<BucketSettings> buckets, Map<String, Backend> backends) {
        this.buckets = buckets;
        this.backends = backends;
    }

    @Override
    public void onApplicationEvent(ApplicationReadyEvent started) {
        backends.forEach((name, backend) -> ask(name, backend)
                .timeout(PATIENCE)
                .subscribe(
                        ignored -> {},
                        failure -> log.warn(
                                "Backend '{}' does not answer as it should: {}. Its buckets answer with errors until it does.",
                                name,
                                LogText.escape(String.valueOf(failure.getMessage()))),
                        () -> log.info("Backend '{}' answers", name)));
    }

    /** Keys often may read one bucket and not list all, so a bucket of the file is asked for where there is one. */
    private Mono<?> ask(String name, Backend backend) {
        Optional<BucketName> known = buckets.stream()
                .filter(entry ->
                        entry.backend().equals(name) && entry.name().value().indexOf('*') < 0)
                .map(entry -> entry.bucket()
                        .orElseGet(() -> new BucketName(entry.name().value())))
                .findFirst();
        return known.isPresent() ? backend.bucket(known.get()) : backend.buckets();
    }
}
