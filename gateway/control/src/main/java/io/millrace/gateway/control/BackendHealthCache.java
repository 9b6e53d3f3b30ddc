package io.millrace.gateway.control;

import io.millrace.backend.spi.Backend;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.config.SettingsVariant;
import io.millrace.gateway.control.BackendCheck.BucketFinding;
import io.millrace.gateway.control.BackendCheck.Findings;
import io.millrace.gateway.objects.bucket.BucketView;
import io.millrace.gateway.objects.bucket.ClientBucketNames;
import io.millrace.gateway.objects.monitor.BackendCallStatistics;
import io.millrace.gateway.objects.monitor.BackendFailureTracker;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/**
 * Checks the health of backends and their buckets on demand and caches the results for {@link #MAX_AGE}, or for
 * {@link #MAX_AGE_IN_TROUBLE} while a backend fails or a request has failed since. Without callers it sends no
 * requests, but for {@link #observeTrouble} where something fails. Thread-safe.
 */
public final class BackendHealthCache implements Supplier<Mono<List<BackendStatus>>> {
    private static final Duration MAX_AGE = Duration.ofSeconds(30);
    /**
     * The age of a result that is replaced while a backend is in trouble, so that its beginning and its end are seen
     * soon.
     */
    private static final Duration MAX_AGE_IN_TROUBLE = Duration.ofSeconds(5);

    private static final Duration TIMEOUT = Duration.ofSeconds(5);

    /** Buckets of patterns that are checked: a request each, which some backends count against a limit. */
    private static final int MOST_OF_PATTERNS = 50;

    private final Map<String, Mono<Findings>> checks = new TreeMap<>();
    /** The last findings of each backend that was checked. */
    private final Map<String, Findings> last = new ConcurrentHashMap<>();

    private final Map<String, SettingsVariant> settings;
    private final ClientBucketNames names;
    private final Function<String, BackendCallStatistics> load;
    private final BackendFailureTracker failures;
    private final StateClock since;
    private final Supplier<List<BucketView>> read;
    private final Scheduler clock;

    public BackendHealthCache(
            Map<String, SettingsVariant> settings,
            ClientBucketNames names,
            Map<String, Backend> backends,
            Function<String, BackendCallStatistics> load,
            BackendFailureTracker failures,
            StateClock since,
            Supplier<List<BucketView>> read) {
        this(settings, names, backends, load, failures, since, read, Schedulers.parallel());
    }

    /**
     * @param load returns the calls of the last minute to a backend
     * @param since remembers states over reloads of the settings
     * @param read returns the buckets that clients have used, the busiest first: those that only a pattern names are
     *     checked too
     * @param clock by which checks and results age
     */
    BackendHealthCache(
            Map<String, SettingsVariant> settings,
            ClientBucketNames names,
            Map<String, Backend> backends,
            Function<String, BackendCallStatistics> load,
            BackendFailureTracker failures,
            StateClock since,
            Supplier<List<BucketView>> read,
            Scheduler clock) {
        this.settings = Map.copyOf(settings);
        this.names = names;
        this.load = load;
        this.failures = failures;
        this.since = since;
        this.read = read;
        this.clock = clock;
        backends.forEach((name, backend) -> checks.put(
                name,
                new BackendCheck(
                                backend,
                                () -> bucketsOf(name),
                                bucket -> names.prefixesIn(name, bucket),
                                bucket -> names.derivedFrom(name, bucket),
                                TIMEOUT,
                                clock)
                        .run()
                        .doOnNext(found -> last.put(name, found))
                        .cacheInvalidateIf(found -> isOutdated(name, found))));
    }

    @Override
    public Mono<List<BackendStatus>> get() {
        return Flux.fromIterable(checks.entrySet())
                .flatMapSequential(entry -> entry.getValue().map(found -> view(entry.getKey(), found)), 64)
                .collectList();
    }

    /**
     * Checks the backends that fail, have a bucket that is missing or fails, or have failed a request since the last
     * check, so that it is known since when. Looks at the calls of all; that sends no request.
     */
    public Mono<Void> observeTrouble() {
        checks.keySet().forEach(name -> errorsSince(name, load.apply(name)));
        return Flux.fromIterable(checks.entrySet())
                .filter(entry -> isInTrouble(entry.getKey()))
                .flatMap(entry -> entry.getValue().doOnNext(found -> remember(entry.getKey(), found)), 64)
                .then();
    }

    private boolean isInTrouble(String name) {
        Findings found = last.get(name);
        if (found == null) {
            return failures.hasFailedSince(name, Instant.EPOCH);
        }
        return found.backend().state().isOfBackend()
                || found.buckets().stream().anyMatch(bucket -> isOutOfUse(name, bucket))
                || failures.hasFailedSince(name, found.at());
    }

    private boolean isOutOfUse(String backend, BucketFinding bucket) {
        BackendCheck.State state = bucket.finding().state();
        return state == BackendCheck.State.FAILS
                || (state == BackendCheck.State.MISSING
                        && names.find(backend, bucket.bucket()).isPresent());
    }

    private void remember(String name, Findings found) {
        BackendStatus unused = view(name, found);
    }

    private boolean isOutdated(String name, Findings found) {
        Duration age = Duration.between(found.at(), Instant.ofEpochMilli(clock.now(TimeUnit.MILLISECONDS)));
        boolean isDoubtful = found.backend().state().isOfBackend()
                || failures.last(name)
                        .filter(failure -> failure.at().isAfter(found.at()))
                        .isPresent();
        return age.compareTo(isDoubtful ? MAX_AGE_IN_TROUBLE : MAX_AGE) >= 0;
    }

    private BackendStatus view(String name, Findings found) {
        List<BucketView> ofPatterns = ofPatterns(name).toList();
        BackendCallStatistics calls = load.apply(name);
        return new BackendStatus(
                name,
                Optional.ofNullable(settings.get(name))
                        .map(SettingsVariant::type)
                        .orElse(""),
                found.backend().state().text(),
                BackendStates.since(since, name, found.backend().state()),
                found.backend().message(),
                found.at(),
                calls,
                errorsSince(name, calls),
                failures.last(name),
                found.buckets().stream()
                        .flatMap(bucket -> views(name, bucket, ofPatterns))
                        .toList());
    }

    private Optional<Instant> errorsSince(String name, BackendCallStatistics calls) {
        // Also if there are none, so that the next time begins anew.
        Instant first = since.since("errors of backend " + name, calls.errors() > 0 ? "errors" : "none");
        return calls.errors() > 0 ? Optional.of(first) : Optional.empty();
    }

    /** Returns the buckets to check, by the backend's names: those of the settings first. */
    private List<BucketName> bucketsOf(String backend) {
        return Stream.concat(names.on(backend).stream(), ofPatterns(backend).map(BucketView::backendBucket))
                .distinct()
                .toList();
    }

    private Stream<BucketView> ofPatterns(String backend) {
        return read.get().stream()
                .filter(BucketView::isOfPattern)
                .limit(MOST_OF_PATTERNS)
                .filter(bucket -> bucket.backendName().equals(backend));
    }

    /**
     * Returns one view for each name that clients use. A bucket of a pattern that is missing was deleted, and nobody's
     * mistake.
     */
    private Stream<BucketHealth> views(String backend, BucketFinding found, List<BucketView> read) {
        Stream<String> ofSettings = names.find(backend, found.bucket()).isPresent()
                ? names.inSettings(backend, found.bucket()).stream()
                : Stream.empty();
        Stream<String> ofPatterns = read.stream()
                .filter(bucket -> found.finding().state() != BackendCheck.State.MISSING
                        && bucket.backendBucket().equals(found.bucket()))
                .map(bucket -> bucket.name().value());
        return Stream.concat(ofSettings, ofPatterns)
                .distinct()
                .map(name -> new BucketHealth(
                        name,
                        found.bucket().value(),
                        found.finding().state().text(),
                        BackendStates.sinceOfBucket(since, name, found.finding().state()),
                        found.finding().message(),
                        failures.last(backend, found.bucket())));
    }
}
