package io.millrace.gateway.observe;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.millrace.gateway.http.CacheResult;
import io.millrace.gateway.http.S3Operation;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Set;

/**
 * What the meters have counted up to a moment. Reading them costs whoever reads, and no request anything.
 *
 * @param nanos of a clock that is never set
 */
record Totals(
        Instant at,
        long nanos,
        long requests,
        long errors,
        long hits,
        long misses,
        long stale,
        long bypassed,
        long inFlight,
        long bytesOut,
        long bytesCached,
        long bytesFetched,
        TimeBuckets firstBytes) {
    private static final Set<String> ERRORS = Set.of(Outcome.SERVER_ERROR.wireName(), Outcome.BROKEN.wireName());

    static Totals of(MeterRegistry registry, Instant at, long nanos) {
        Collection<Timer> requests = registry.find(Meter.REQUEST.wireName()).timers();
        return new Totals(
                at,
                nanos,
                requests.stream().mapToLong(Timer::count).sum(),
                requests.stream()
                        .filter(timer ->
                                ERRORS.contains(String.valueOf(timer.getId().getTag("outcome"))))
                        .mapToLong(Timer::count)
                        .sum(),
                answers(registry, CacheResult.HIT),
                answers(registry, CacheResult.MISS) + answers(registry, CacheResult.COLLAPSED),
                answers(registry, CacheResult.STALE),
                answers(registry, CacheResult.BYPASS),
                registry.find(Meter.IN_FLIGHT.wireName()).gauges().stream()
                        .mapToLong(Totals::value)
                        .sum(),
                bytes(registry, Meter.BYTES_OUT),
                bytes(registry, Meter.CACHE_SERVED),
                bytes(registry, Meter.BACKEND_BYTES_IN),
                TimeBuckets.of(registry.find(Meter.FIRST_BYTE.wireName())
                        .tag("operation", S3Operation.GET_OBJECT.wireName())
                        .timers()));
    }

    /** What came since. */
    TrafficPoint since(Totals before) {
        TimeBuckets added = firstBytes.minus(before.firstBytes);
        return new TrafficPoint(
                at,
                Duration.ofNanos(nanos - before.nanos).toMillis(),
                requests - before.requests,
                errors - before.errors,
                hits - before.hits,
                misses - before.misses,
                stale - before.stale,
                bypassed - before.bypassed,
                inFlight,
                bytesOut - before.bytesOut,
                bytesCached - before.bytesCached,
                bytesFetched - before.bytesFetched,
                added.quantileMicros(0.5),
                added.quantileMicros(0.99));
    }

    private static long answers(MeterRegistry registry, CacheResult result) {
        return registry.find(Meter.CACHE_ANSWERS.wireName()).tag("result", result.wireName()).counters().stream()
                .mapToLong(Totals::value)
                .sum();
    }

    private static long bytes(MeterRegistry registry, Meter meter) {
        return registry.find(meter.wireName()).counters().stream()
                .mapToLong(Totals::value)
                .sum();
    }

    private static long value(Counter counter) {
        return (long) counter.count();
    }

    private static long value(Gauge gauge) {
        return (long) gauge.value();
    }
}
