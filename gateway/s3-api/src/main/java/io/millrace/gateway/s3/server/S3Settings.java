package io.millrace.gateway.s3.server;

import io.millrace.auth.SignatureSettings;
import io.millrace.auth.policy.IpRange;
import io.millrace.config.DataSize;
import io.millrace.config.Reloadable;
import io.millrace.config.SettingDescription;
import io.millrace.config.problem.RefusedSettingException;
import io.millrace.config.problem.SettingRange;
import io.millrace.gateway.s3.observe.AccessLogSettings;
import io.millrace.gateway.tls.TlsSettings;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** The settings of the data plane: address, port, timeouts and signatures of the S3 API. */
public record S3Settings(
        @SettingDescription(
                value = "The address S3 is served on. 0.0.0.0 serves every network.",
                defaultValue = "127.0.0.1")
        String address,

        @SettingDescription(value = "The port; 0 selects any free port.", defaultValue = "9080")
        int port,

        @SettingDescription("TLS on the port. Without it the port speaks plain HTTP.")
        Optional<TlsSettings> tls,

        @SettingDescription(
                value = "Another port, for plain HTTP beside TLS. Without it there is no plain HTTP when TLS is on.",
                example = "9090")
        Optional<Integer> plainPort,

        @Reloadable
        @SettingDescription(
                value = "A domain whose sub-domains are buckets (virtual-host style). Without it, and for every other"
                        + " host, the bucket is the first part of the path.",
                example = "s3.local")
        Optional<String> domain,

        @SettingDescription(
                value = "The size of the socket send buffer. A small buffer keeps large responses in the CPU cache"
                        + " and bounds the memory of slow readers; a long link needs bandwidth times delay.",
                defaultValue = "64KiB")
        DataSize sendBuffer,

        @SettingDescription(value = "How long a connection may stay open without a request.", defaultValue = "60s")
        Duration idleTimeout,

        @SettingDescription(
                value = "How long a client may take to send the head of a request, from its first byte, and as long for"
                        + " a TLS handshake. A connection that is slower is closed.",
                defaultValue = "10s")
        Duration requestHeadTimeout,

        @Reloadable
        @SettingDescription(
                value = "How many connections may be open. Clients beyond it get SlowDown, or over TLS a closed"
                        + " connection.",
                defaultValue = "16384")
        int maxConnections,

        @Reloadable
        @SettingDescription(
                value = "How many connections one client address may have open; of IPv6 the first 64 bits count. Set it"
                        + " on a port that faces people, but not if a proxy or NAT gives many clients one"
                        + " address.",
                example = "256")
        Optional<Integer> maxConnectionsPerAddress,

        @SettingDescription(
                value = "Addresses, or ranges of them, of proxies in front of this port or the control port. Only their"
                        + " X-Forwarded-For and X-Forwarded-Proto are believed, and max-connections-per-address"
                        + " does not count them.",
                example = "10.0.0.0/8")
        List<IpRange> trustedProxies,

        @SettingDescription(
                value = "How long a client may read nothing of a response before its connection is closed. Slow"
                        + " readers are fine; a stalled one holds a backend connection.",
                defaultValue = "5m")
        Duration stalledReaderTimeout,

        @SettingDescription(
                value = "How long the server still accepts S3 requests after it was told to stop, while /ready"
                        + " returns 503. Set it a little longer than a load balancer takes to notice.",
                defaultValue = "0s")
        Duration shutdownDelay,

        @SettingDescription(
                value = "How long running requests may take to finish when the server stops.",
                defaultValue = "30s")
        Duration shutdownTimeout,

        @SettingDescription("The access log: a line for each request. Without this section there is none.")
        Optional<AccessLogSettings> accessLog,

        @Reloadable @SettingDescription("Which request signatures are accepted.")
        SignatureSettings signatures) {
    private static final long MIN_SEND_BUFFER = 4096;

    /**
     * @throws IllegalArgumentException if a number or the time of a head is out of range, everybody is a proxy, or
     *     there is a plain port without TLS
     */
    public S3Settings {
        trustedProxies = List.copyOf(trustedProxies);
        SettingRange.requirePort("port", port);
        plainPort.ifPresent(plain -> SettingRange.requirePort("plain-port", plain));
        if (plainPort.isPresent() && tls.isEmpty()) {
            throw new RefusedSettingException(
                    "plain-port",
                    "is set without tls: port %d speaks plain HTTP already".formatted(port),
                    "leave it out, or add tls");
        }
        trustedProxies.stream().filter(IpRange::isEverything).findAny().ifPresent(all -> {
            throw new RefusedSettingException(
                    "trusted-proxies",
                    "has all addresses (%s): every client could say that it is another".formatted(all),
                    "write the addresses of the proxies alone");
        });
        SettingRange.requirePositive("max-connections", maxConnections);
        maxConnectionsPerAddress.ifPresent(most -> SettingRange.requirePositive("max-connections-per-address", most));
        if (requestHeadTimeout.isZero() || requestHeadTimeout.isNegative()) {
            throw new RefusedSettingException(
                    "request-head-timeout", "is not longer than 0s", "write a time such as 10s");
        }
        if (sendBuffer.bytes() < MIN_SEND_BUFFER || sendBuffer.bytes() > Integer.MAX_VALUE) {
            throw new RefusedSettingException(
                    "send-buffer", "is not between 4KiB and 2GiB", "write a size such as 64KiB");
        }
    }

    /** Returns the settings of another port, of plain HTTP, with the same limits and timeouts. */
    public S3Settings plainAt(String other, int otherPort) {
        return new S3Settings(
                other,
                otherPort,
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                sendBuffer,
                idleTimeout,
                requestHeadTimeout,
                maxConnections,
                maxConnectionsPerAddress,
                trustedProxies,
                stalledReaderTimeout,
                Duration.ZERO,
                shutdownTimeout,
                Optional.empty(),
                signatures);
    }
}
