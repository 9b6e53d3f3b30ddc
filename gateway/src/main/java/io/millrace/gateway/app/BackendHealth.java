package io.millrace.gateway.app;

import io.millrace.config.Typed;
import io.millrace.gateway.bucket.BucketSettings;
import io.millrace.gateway.control.BackendView;
import io.millrace.gateway.observe.BackendFailures;
import io.millrace.gateway.observe.LogText;
import io.millrace.gateway.observe.TrafficHistory;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Tells how backends are. Each is asked when somebody wants to know and no answer is younger than {@link #YOUNG}, so that what
 * nobody looks at costs nothing. Safe for use by any number of threads.
 */
final class BackendHealth implements Supplier<Mono<List<BackendView>>> {
    private static final Duration YOUNG = Duration.ofSeconds(30);
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    private final Map<String, Mono<Verdict>> verdicts = new TreeMap<>();
    private final Map<String, Typed> settings;
    private final TrafficHistory history;
    private final BackendFailures failures;

    private record Verdict(Instant at, String state, String message) {}

    BackendHealth(
            Map<String, Typed> settings,
            List<BucketSettings> buckets,
            OpenBackends backends,
            TrafficHistory history,
            BackendFailures failures) {
        this.settings = Map.copyOf(settings);
        this.history = history;
        this.failures = failures;
        backends.byName()
                .forEach((name, backend) -> verdicts.put(
                        name,
                        verdict(BackendQuestion.of(name, backend, buckets)).cache(YOUNG)));
    }

    @Override
    public Mono<List<BackendView>> get() {
        return Flux.fromIterable(verdicts.entrySet())
                .flatMapSequential(entry -> entry.getValue().map(verdict -> view(entry.getKey(), verdict)), 64)
                .collectList();
    }

    private static Mono<Verdict> verdict(BackendQuestion question) {
        return Mono.defer(() -> question.answer()
                .timeout(PATIENCE)
                .then(Mono.fromSupplier(() -> new Verdict(Instant.now(), "answers", "")))
                .onErrorResume(failure -> Mono.just(new Verdict(
                        Instant.now(),
                        BackendQuestion.isRefusal(failure) ? "refuses" : "fails",
                        "Asked to %s: %s".formatted(question.tried(), reason(failure))))));
    }

    private static String reason(Throwable failure) {
        return failure instanceof TimeoutException
                ? "no answer in %d s".formatted(PATIENCE.toSeconds())
                : LogText.escape(String.valueOf(failure.getMessage()));
    }

    private BackendView view(String name, Verdict verdict) {
        return new BackendView(
                name,
                Optional.ofNullable(settings.get(name)).map(Typed::type).orElse(""),
                verdict.state(),
                verdict.message(),
                verdict.at(),
                history.load(name),
                failures.last(name));
    }
}
