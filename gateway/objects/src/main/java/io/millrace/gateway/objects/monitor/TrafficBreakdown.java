package io.millrace.gateway.objects.monitor;

import java.time.Instant;
import java.util.List;
import java.util.OptionalLong;

/**
 * The traffic of each operation, backend or bucket over time.
 *
 * @param stepSeconds interval between two times
 * @param times the ends of all periods, the oldest first
 * @param series sorted by name; those without traffic in these periods are missing
 */
public record TrafficBreakdown(long stepSeconds, List<Instant> times, List<TrafficLine> series) {
    public TrafficBreakdown {
        times = List.copyOf(times);
        series = List.copyOf(series);
    }

    /**
     * The traffic of one operation, backend or bucket.
     *
     * @param points the oldest first; periods without traffic are missing
     */
    public record TrafficLine(String name, List<TrafficLinePoint> points) {
        public TrafficLine {
            points = List.copyOf(points);
        }
    }

    /**
     * The traffic of one operation, backend or bucket in one period.
     *
     * @param at end of the period
     * @param millis length of the period
     * @param requests S3 requests that ended, calls of the backend, or GETs and HEADs of clients
     * @param errors those that failed; 0 for buckets
     * @param bytes bytes of bodies sent to clients, or received from the backend
     * @param backendRequests GETs and HEADs sent to the backend; only for buckets
     * @param backendBytes bytes of bodies fetched from the backend; only for buckets
     * @param meanMicros mean duration of requests, or time to the head of a backend's response; empty for buckets
     */
    public record TrafficLinePoint(
            Instant at,
            long millis,
            long requests,
            long errors,
            long bytes,
            long backendRequests,
            long backendBytes,
            OptionalLong meanMicros) {}
}
