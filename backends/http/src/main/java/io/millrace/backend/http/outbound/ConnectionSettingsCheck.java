package io.millrace.backend.http.outbound;

import io.millrace.config.problem.ProblemReporter;
import java.time.Duration;

/** Checks the settings of connections that backends over HTTP have in common. */
public final class ConnectionSettingsCheck {
    private ConnectionSettingsCheck() {}

    /** Reports what is wrong with the maximum of connections and the timeouts of a backend. */
    public static void check(
            int maxConnections,
            Duration connectTimeout,
            Duration firstByteTimeout,
            Duration idleTimeout,
            ProblemReporter problems) {
        if (maxConnections < 1) {
            problems.add("max-connections", maxConnections, "is less than 1", "write 1 or more");
        }
        checkTime("connect-timeout", connectTimeout, problems);
        checkTime("first-byte-timeout", firstByteTimeout, problems);
        checkTime("idle-timeout", idleTimeout, problems);
    }

    private static void checkTime(String key, Duration value, ProblemReporter problems) {
        if (value.isNegative() || value.isZero() || value.compareTo(Duration.ofDays(1)) > 0) {
            problems.add(key, value, "is not between 1ms and 1d", "write a time such as 30s");
        }
    }
}
