package io.millrace.gateway.s3.observe;

import io.micrometer.core.instrument.MeterRegistry;
import io.millrace.gateway.objects.monitor.LatencyHistogram;
import io.millrace.gateway.objects.monitor.MeterName;
import io.millrace.gateway.objects.monitor.TrafficPoint;
import io.millrace.gateway.objects.read.CacheResult;
import io.millrace.gateway.s3.protocol.S3Operation;
import java.time.Duration;
import java.time.Instant;

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
    static TrafficSnapshot of(MeterRegistry registry, RequestMeters requests, Instant at, long nanos) {
        return new TrafficSnapshot(
                at,
                nanos,
                requests.withoutPreflights(),
                requests.failed(),
                requests.gets(CacheResult.HIT),
                requests.gets(CacheResult.MISS) + requests.gets(CacheResult.COLLAPSED),
                requests.gets(CacheResult.STALE),
                requests.gets(CacheResult.BYPASS),
                requests.inFlight(),
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

    private static long bytes(MeterRegistry registry, MeterName meter) {
        return registry.find(meter.wireName()).counters().stream()
                .mapToLong(counter -> (long) counter.count())
                .sum();
    }
}
