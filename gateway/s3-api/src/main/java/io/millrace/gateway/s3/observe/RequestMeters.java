package io.millrace.gateway.s3.observe;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.millrace.gateway.error.S3Exception;
import io.millrace.gateway.objects.monitor.MeterName;
import io.millrace.gateway.objects.read.CacheResult;
import io.millrace.gateway.s3.gate.BatchTally;
import io.millrace.gateway.s3.protocol.RequestOperation;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Updates the meters of all requests. Keys, buckets and principals are not labels, so the number of meters is bounded
 * by the operations and outcomes, and that of error codes by a limit; {@link TrafficByName} has those of buckets and
 * identities.
 */
public final class RequestMeters implements RequestRecorder {
    /** The least HTTP status of an error. */
    private static final int LEAST_ERROR = 400;

    /** Beyond it, codes are not told apart: backends may send any. */
    static final int MOST_ERRORS = 1000;

    private final MeterRegistry registry;
    private final AtomicInteger inFlight = new AtomicInteger();
    private final ConcurrentMap<Series, Meters> series = new ConcurrentHashMap<>();

    /**
     * The timers of all requests but preflights, which anybody may send in any number: they shall neither raise nor
     * hide an alarm.
     */
    private final List<Timer> withoutPreflights = new CopyOnWriteArrayList<>();

    /** Those of {@link #withoutPreflights} that failed. */
    private final List<Timer> failed = new CopyOnWriteArrayList<>();

    private final Counter fastPath;
    private final Map<CacheResult, Counter> byResult = new EnumMap<>(CacheResult.class);

    private final Map<BatchTally.Outcome, Counter> batchItems = new EnumMap<>(BatchTally.Outcome.class);

    private final ConcurrentMap<Failure, Counter> errors = new ConcurrentHashMap<>();

    private record Failure(String operation, int status, String code) {}

    private record Series(Optional<RequestOperation> operation, OutcomeCategory outcome) {
        String operationName() {
            return nameOf(operation);
        }

        boolean isPreflight() {
            return operation.filter(RequestOperation::isPreflight).isPresent();
        }
    }

    private record Meters(Timer firstByte, Timer request, Counter bytesIn, Counter bytesOut) {}

    public RequestMeters(MeterRegistry registry) {
        this.registry = registry;
        Gauge.builder(MeterName.IN_FLIGHT.wireName(), inFlight, AtomicInteger::get)
                .description(MeterName.IN_FLIGHT.description())
                .register(registry);
        this.fastPath = Counter.builder(MeterName.FAST_PATH.wireName())
                .description(MeterName.FAST_PATH.description())
                .register(registry);
        for (CacheResult result : CacheResult.values()) {
            byResult.put(
                    result,
                    Counter.builder(MeterName.CACHE_REQUESTS.wireName())
                            .description(MeterName.CACHE_REQUESTS.description())
                            .tag("result", result.wireName())
                            .register(registry));
        }
        for (BatchTally.Outcome outcome : BatchTally.Outcome.values()) {
            batchItems.put(
                    outcome,
                    Counter.builder(MeterName.BATCH_ITEMS.wireName())
                            .description(MeterName.BATCH_ITEMS.description())
                            .tag("outcome", outcome.wireName())
                            .register(registry));
        }
    }

    /** Returns the number of requests in progress. */
    public int inFlight() {
        return inFlight.get();
    }

    /** Returns the number of completed requests. */
    public long ended() {
        return series.values().stream()
                .mapToLong(meters -> meters.request().count())
                .sum();
    }

    /** Returns the number of completed requests without preflights. */
    long withoutPreflights() {
        return withoutPreflights.stream().mapToLong(Timer::count).sum();
    }

    /** Returns how many of those failed. */
    long failed() {
        return failed.stream().mapToLong(Timer::count).sum();
    }

    /** Returns the number of completed GETs of objects with this result of the cache. */
    public long gets(CacheResult result) {
        return (long) Objects.requireNonNull(byResult.get(result)).count();
    }

    @Override
    public void started() {
        inFlight.incrementAndGet();
    }

    @Override
    public void ended(RequestRecord request) {
        inFlight.decrementAndGet();
        Meters meters = series.computeIfAbsent(new Series(request.operation(), request.outcome()), this::register);
        meters.request().record(request.totalNanos(), TimeUnit.NANOSECONDS);
        if (request.firstByteNanos() >= 0) {
            meters.firstByte().record(request.firstByteNanos(), TimeUnit.NANOSECONDS);
        }
        if (request.status() >= LEAST_ERROR) {
            String operation = nameOf(request.operation());
            String code = request.error().map(S3Exception::code).orElse("none");
            Failure exact = new Failure(operation, request.status(), code);
            Failure counted = errors.size() < MOST_ERRORS || errors.containsKey(exact)
                    ? exact
                    : new Failure(operation, request.status(), TrafficByName.OTHERS);
            errors.computeIfAbsent(counted, this::register).increment();
        }
        meters.bytesIn().increment((double) request.bytesIn());
        meters.bytesOut().increment((double) request.bytesOut());
        if (request.fastPath()) {
            fastPath.increment();
        }
        request.batch()
                .ifPresent(tally -> batchItems.forEach((outcome, items) -> items.increment(tally.count(outcome))));
        if (request.operation().filter(RequestOperation::isGetOfObject).isPresent()) {
            request.cache()
                    .ifPresent(result ->
                            Objects.requireNonNull(byResult.get(result)).increment());
        }
    }

    private static String nameOf(Optional<RequestOperation> operation) {
        return operation.map(RequestOperation::wireName).orElse("none");
    }

    private Meters register(Series of) {
        Timer request = timer(MeterName.REQUEST, of);
        if (!of.isPreflight()) {
            withoutPreflights.add(request);
            if (of.outcome().isFailure()) {
                failed.add(request);
            }
        }
        return new Meters(
                timer(MeterName.FIRST_BYTE, of),
                request,
                counter(MeterName.BYTES_IN, of),
                counter(MeterName.BYTES_OUT, of));
    }

    private Counter register(Failure of) {
        return Counter.builder(MeterName.ERRORS.wireName())
                .description(MeterName.ERRORS.description())
                .tag("operation", of.operation())
                .tag("status", Integer.toString(of.status()))
                .tag("code", of.code())
                .register(registry);
    }

    private Timer timer(MeterName meter, Series of) {
        return Timer.builder(meter.wireName())
                .description(meter.description())
                .tag("operation", of.operationName())
                .tag("outcome", of.outcome().wireName())
                .publishPercentileHistogram()
                .minimumExpectedValue(Duration.ofNanos(50_000))
                .maximumExpectedValue(Duration.ofMinutes(1))
                .register(registry);
    }

    private Counter counter(MeterName meter, Series of) {
        return Counter.builder(meter.wireName())
                .description(meter.description())
                .baseUnit("bytes")
                .tag("operation", of.operationName())
                .register(registry);
    }
}
