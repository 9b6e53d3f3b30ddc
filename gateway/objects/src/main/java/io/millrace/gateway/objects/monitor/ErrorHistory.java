package io.millrace.gateway.objects.monitor;

import java.time.Instant;
import java.util.List;

/**
 * The failed requests of clients over time, by bucket, status and error code.
 *
 * @param stepSeconds interval between two times
 * @param times the ends of all periods, the oldest first
 * @param series sorted by bucket, status and code; those without a failure in these periods are missing
 */
public record ErrorHistory(long stepSeconds, List<Instant> times, List<ErrorLine> series) {
    public ErrorHistory {
        times = List.copyOf(times);
        series = List.copyOf(series);
    }

    /**
     * The failed requests of one bucket with one status and error code.
     *
     * @param bucket as clients name it; {@code (others)} beyond the first, and of names that are no bucket; {@code
     *     (none)} of requests that name none
     * @param status the HTTP status; {@code broken} if the response broke off
     * @param code S3's code in the response; empty if there was none, and of {@code (others)} beyond the most frequent
     * @param points the oldest first; periods without a failure are missing
     */
    public record ErrorLine(String bucket, String status, String code, List<ErrorPoint> points) {
        public ErrorLine {
            points = List.copyOf(points);
        }
    }

    /**
     * The number of failed requests in one period.
     *
     * @param at end of the period
     * @param millis length of the period
     */
    public record ErrorPoint(Instant at, long millis, long errors) {}
}
