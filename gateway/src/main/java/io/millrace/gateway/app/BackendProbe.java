package io.millrace.gateway.app;

import io.millrace.backend.spi.Backend;
import io.millrace.gateway.bucket.BucketSettings;
import io.millrace.gateway.observe.LogText;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.context.ApplicationListener;

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
        backends.forEach((name, backend) -> {
            BackendQuestion question = BackendQuestion.of(name, backend, buckets);
            question.answer()
                    .timeout(PATIENCE)
                    .subscribe(
                            ignored -> {},
                            failure -> log.warn(verdict(name, question.tried(), failure)),
                            () -> log.info("Backend '{}' answers", name));
        });
    }

    /**
     * What the log says of a failure. A key that lacks the right to ask this is no broken backend: it may read all the
     * same. It looks like a wrong key where the answer has no words, as to HeadBucket, so both are named.
     */
    static String verdict(String name, String tried, Throwable failure) {
        String message = LogText.escape(String.valueOf(failure.getMessage()));
        return BackendQuestion.isRefusal(failure)
                ? ("Backend '%s' answers, but refuses to %s: %s. If its key is right and only may not do this, reads still"
                                + " work; if not, its buckets answer 403 until it is.")
                        .formatted(name, tried, message)
                : ("Backend '%s' does not answer as it should when asked to %s: %s. Its buckets answer with errors until it"
                                + " does.")
                        .formatted(name, tried, message);
    }
}
