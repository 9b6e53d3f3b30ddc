package io.millrace.gateway.s3.observe;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.millrace.gateway.objects.monitor.LatencyHistogram;
import io.millrace.gateway.objects.monitor.MeterName;
import io.millrace.gateway.objects.monitor.TrafficPoint;
import io.millrace.gateway.objects.read.CacheResult;
import io.millrace.gateway.s3.protocol.S3Operation;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;

/**
 * A snapshot of the meters: the totals of requests and bytes since the start. Only the reader pays for it, not
 * requests.
 *
 * @param nanos the time by a monotonic clock
 */
record TrafficSnapshot(
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
        LatencyHistogram firstBytes) {
    static final Set<String> ERRORS =
            Set.of(OutcomeCategory.SERVER_ERROR.wireName(), OutcomeCategory.BROKEN.wireName());

    /** Unsigned requests that anybody may send in any number: they shall neither raise nor hide an alarm. */
    private static final Set<String> PREFLIGHTS =
            Set.of(S3Operation.PREFLIGHT_BUCKET.wireName(), S3Operation.PREFLIGHT_OBJECT.wireName());

    static TrafficSnapshot of(MeterRegistry registry, Instant at, long nanos) {
        List<Timer> requests = registry.find(MeterName.REQUEST.wireName()).timers().stream()
                .filter(timer ->
                        !PREFLIGHTS.contains(String.valueOf(timer.getId().getTag("operation"))))
                .toList();
        return new TrafficSnapshot(
                at,
                nanos,
                requests.stream().mapToLong(Timer::count).sum(),
                requests.stream()
                        .filter(timer ->
                                ERRORS.contains(String.valueOf(timer.getId().getTag("outcome"))))
                        .mapToLong(Timer::count)
                        .sum(),
                responses(registry, CacheResult.HIT),
                responses(registry, CacheResult.MISS) + responses(registry, CacheResult.COLLAPSED),
                responses(registry, CacheResult.STALE),
                responses(registry, CacheResult.BYPASS),
                registry.find(MeterName.IN_FLIGHT.wireName()).gauges().stream()
                        .mapToLong(TrafficSnapshot::value)
                        .sum(),
                bytes(registry, MeterName.BYTES_OUT),
                bytes(registry, MeterName.CACHE_SERVED),
                bytes(registry, MeterName.BACKEND_BYTES_IN),
                LatencyHistogram.of(registry.find(MeterName.FIRST_BYTE.wireName())
                        .tag("operation", S3Operation.GET_OBJECT.wireName())
                        .timers()));
    }

    /** Returns the difference to an earlier snapshot. */
    TrafficPoint since(TrafficSnapshot before) {
        LatencyHistogram added = firstBytes.minus(before.firstBytes);
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

    private static long responses(MeterRegistry registry, CacheResult result) {
        return registry.find(MeterName.CACHE_REQUESTS.wireName()).tag("result", result.wireName()).counters().stream()
                .mapToLong(TrafficSnapshot::value)
                .sum();
    }

    private static long bytes(MeterRegistry registry, MeterName meter) {
        return registry.find(meter.wireName()).counters().stream()
                .mapToLong(TrafficSnapshot::value)
                .sum();
    }

    private static long value(Counter counter) {
        return (long) counter.count();
    }

    private static long value(Gauge gauge) {
        return (long) gauge.value();
    }
}
