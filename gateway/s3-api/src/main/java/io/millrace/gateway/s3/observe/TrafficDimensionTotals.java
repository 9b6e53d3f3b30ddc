package io.millrace.gateway.s3.observe;

import io.millrace.gateway.objects.monitor.TrafficBreakdown.TrafficLinePoint;
import java.time.Instant;
import java.util.OptionalLong;

/**
 * The totals of one operation, backend or bucket since the start.
 *
 * @param micros the total duration of the requests; negative if it is not measured
 */
record TrafficDimensionTotals(
        long requests, long errors, long bytes, long backendRequests, long backendBytes, double micros) {
    static final TrafficDimensionTotals NONE = new TrafficDimensionTotals(0, 0, 0, 0, 0, 0);

    private static final double NOT_MEASURED = -1;

    static TrafficDimensionTotals ofBucket(long requests, long bytes, long backendRequests, long backendBytes) {
        return new TrafficDimensionTotals(requests, 0, bytes, backendRequests, backendBytes, NOT_MEASURED);
    }

    TrafficDimensionTotals plus(TrafficDimensionTotals other) {
        return new TrafficDimensionTotals(
                requests + other.requests,
                errors + other.errors,
                bytes + other.bytes,
                backendRequests + other.backendRequests,
                backendBytes + other.backendBytes,
                micros + other.micros);
    }

    /** Returns the difference to earlier totals. */
    TrafficLinePoint since(TrafficDimensionTotals before, Instant at, long millis) {
        long added = requests - before.requests;
        return new TrafficLinePoint(
                at,
                millis,
                added,
                errors - before.errors,
                bytes - before.bytes,
                backendRequests - before.backendRequests,
                backendBytes - before.backendBytes,
                added <= 0 || micros < 0
                        ? OptionalLong.empty()
                        : OptionalLong.of(Math.round((micros - before.micros) / added)));
    }
}
