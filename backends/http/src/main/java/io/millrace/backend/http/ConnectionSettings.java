package io.millrace.backend.http;

import io.millrace.config.SettingDescription;
import io.millrace.config.problem.ProblemReporter;
import io.millrace.config.problem.SelfValidatingSettings;
import java.time.Duration;
import java.util.Optional;

/** The settings of the connections of a backend: their number, their way to the servers, and timeouts. */
public record ConnectionSettings(
        @SettingDescription(
                value = "Maximum connections to one host. A reader that bypasses the cache holds one while it reads."
                        + " If all are in use, requests wait and fail after a timeout.",
                defaultValue = "4096")
        int maxConnections,

        @SettingDescription("TLS to the server: trusted authorities and a client certificate.")
        BackendTlsSettings tls,

        @SettingDescription(
                "The HTTP proxy through which the server is reached. Without it the server is reached directly.")
        Optional<ProxySettings> proxy,

        @SettingDescription(
                value = "How long to wait for a connection, and as long again for TLS.",
                defaultValue = "5s")
        Duration connectTimeout,

        @SettingDescription(
                value = "How long to wait for the response headers of one try. resilience.deadline limits all tries of"
                        + " a request together.",
                defaultValue = "30s")
        Duration firstByteTimeout,

        @SettingDescription(
                value = "How long the server may send nothing in the middle of a response while a reader waits. Slow"
                        + " readers are not cut off.",
                defaultValue = "60s")
        Duration idleTimeout)
        implements SelfValidatingSettings {
    /** The time to wait for a free connection, in addition to the connect timeout. */
    private static final Duration QUEUE_TIME = Duration.ofSeconds(5);

    /** Returns how the servers of the backend are reached. */
    public OutboundSettings outbound() {
        return new OutboundSettings(tls, proxy);
    }

    /**
     * Returns the settings of the backend's pool of connections.
     *
     * @param name names its meters and threads
     */
    public HttpPoolSettings pool(String name) {
        return new HttpPoolSettings(name, maxConnections, connectTimeout, connectTimeout.plus(QUEUE_TIME), outbound());
    }

    /** Returns the timeouts of the backend's requests. */
    public HttpTimeouts timeouts() {
        return new HttpTimeouts(firstByteTimeout, idleTimeout, idleTimeout);
    }

    @Override
    public void check(ProblemReporter problems) {
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
