package io.millrace.backend.http;

import java.time.Duration;

/**
 * Settings of one {@link HttpConnectionPool}: its name, number of connections and timeouts.
 *
 * @param name names its meters and threads
 * @param maxConnections open at a time
 * @param connectTimeout until a connection is made, TLS handshake included
 * @param queueTime the longest wait for a free connection
 * @param outbound how servers are reached
 */
public record HttpPoolSettings(
        String name, int maxConnections, Duration connectTimeout, Duration queueTime, OutboundSettings outbound) {
    /**
     * Returns the settings of a pool of connections to servers other than the backend's, which are not to see its
     * client certificate.
     */
    public HttpPoolSettings forOtherServers() {
        return new HttpPoolSettings(name, maxConnections, connectTimeout, queueTime, outbound.forOtherServers());
    }
}
