package io.millrace.gateway.objects.monitor;

import java.time.Duration;
import java.util.List;

/** The history of traffic, in periods of equal length. */
public interface TrafficHistorySource {
    /** The length of a point within the last {@link #FINE}. */
    Duration STEP = Duration.ofSeconds(10);

    /** The length of a point of a longer time. */
    Duration LONG_STEP = Duration.ofMinutes(1);

    /** The longest time with points of {@link #STEP}. */
    Duration FINE = Duration.ofHours(1);

    /** The longest time there are points of. */
    Duration LONGEST = Duration.ofDays(1);

    /** Returns the points of the last {@code length}, the oldest first. */
    List<TrafficPoint> last(Duration length);

    /** Returns the traffic of the last {@code length} by operation, backend or bucket. */
    TrafficBreakdown breakdown(TrafficDimension by, Duration length);

    /** Returns the failed requests of the last {@code length} by bucket and status. */
    ErrorHistory errors(Duration length);
}
