package io.millrace.gateway.app;

import io.millrace.backend.spi.Backend;
import io.millrace.config.Typed;
import io.millrace.gateway.app.BackendCheck.BucketFinding;
import io.millrace.gateway.app.BackendCheck.Findings;
import io.millrace.gateway.bucket.BucketNames;
import io.millrace.gateway.control.BackendView;
import io.millrace.gateway.control.BucketHealth;
import io.millrace.gateway.observe.BackendFailures;
import io.millrace.gateway.observe.TrafficHistory;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Supplier;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Tells how backends and their buckets are. Each is asked when somebody wants to know and no answer is younger than {@link #YOUNG},
 * so that what nobody looks at costs nothing. Safe for use by any number of threads.
 */
final class BackendHealth implements Supplier<Mono<List<BackendView>>> {
    private static final Duration YOUNG = Duration.ofSeconds(30);
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    private final Map<String, Mono<Findings>> checks = new TreeMap<>();
    private final Map<String, Typed> settings;
    private final BucketNames names;
    private final TrafficHistory history;
    private final BackendFailures failures;

    BackendHealth(
            Map<String, Typed> settings,
            BucketNames names,
            Map<String, Backend> backends,
            TrafficHistory history,
            BackendFailures failures) {
        this.settings = Map.copyOf(settings);
        this.names = names;
        this.history = history;
        this.failures = failures;
        backends.forEach((name, backend) -> checks.put(
                name, new BackendCheck(backend, names.on(name), PATIENCE).run().cache(YOUNG)));
    }

    @Override
    public Mono<List<BackendView>> get() {
        return Flux.fromIterable(checks.entrySet())
                .flatMapSequential(entry -> entry.getValue().map(found -> view(entry.getKey(), found)), 64)
                .collectList();
    }

    private BackendView view(String name, Findings found) {
        return new BackendView(
                name,
                Optional.ofNullable(settings.get(name)).map(Typed::type).orElse(""),
                found.backend().state().text(),
                found.backend().message(),
                found.at(),
                history.load(name),
                failures.last(name),
                found.buckets().stream().map(bucket -> view(name, bucket)).toList());
    }

    private BucketHealth view(String backend, BucketFinding found) {
        return new BucketHealth(
                names.of(backend, found.bucket()),
                found.bucket().value(),
                found.finding().state().text(),
                found.finding().message(),
                failures.last(backend, found.bucket()));
    }
}
