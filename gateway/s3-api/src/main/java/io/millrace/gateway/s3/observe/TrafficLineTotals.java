package io.millrace.gateway.s3.observe;

import io.millrace.gateway.objects.monitor.TrafficBreakdown.TrafficLinePoint;
import java.time.Instant;
import java.util.OptionalLong;

/**
 * The totals of one operation, backend or bucket since the start.
 *
 * @param micros the total duration of the requests; negative if it is not measured
 */
record TrafficLineTotals(
        long requests, long errors, long bytes, long backendRequests, long backendBytes, double micros) {
    static final TrafficLineTotals NONE = new TrafficLineTotals(0, 0, 0, 0, 0, 0);

    private static final double NOT_MEASURED = -1;

    static TrafficLineTotals ofBucket(long requests, long bytes, long backendRequests, long backendBytes) {
        return new TrafficLineTotals(requests, 0, bytes, backendRequests, backendBytes, NOT_MEASURED);
    }

    TrafficLineTotals plus(TrafficLineTotals other) {
        return new TrafficLineTotals(
                requests + other.requests,
                errors + other.errors,
                bytes + other.bytes,
                backendRequests + other.backendRequests,
                backendBytes + other.backendBytes,
                micros + other.micros);
    }

    /** Returns the difference to earlier totals. */
    TrafficLinePoint since(TrafficLineTotals before, Instant at, long millis) {
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
