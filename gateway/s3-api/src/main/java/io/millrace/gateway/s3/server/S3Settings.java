package io.millrace.gateway.s3.server;

import io.millrace.auth.SignatureSettings;
import io.millrace.config.DataSize;
import io.millrace.config.Setting;
import java.time.Duration;
import java.util.Optional;

/** The settings of the data plane: address, port, timeouts and signatures of the S3 API. */
public record S3Settings(
        @Setting(value = "The address S3 is served on. 0.0.0.0 serves every network.", defaultValue = "127.0.0.1")
        String address,

        @Setting(value = "The port; 0 selects any free port.", defaultValue = "9080")
        int port,

        @Setting(
                value = "A domain whose sub-domains are buckets (virtual-host style). Without it, and for every other"
                        + " host, the bucket is the first part of the path.",
                example = "s3.local")
        Optional<String> domain,

        @Setting(
                value = "The size of the socket send buffer. A small buffer keeps large responses in the CPU cache"
                        + " and bounds the memory of slow readers; a long link needs bandwidth times delay.",
                defaultValue = "64KiB")
        DataSize sendBuffer,

        @Setting(value = "How long a connection may stay open without a request.", defaultValue = "60s")
        Duration idleTimeout,

        @Setting(
                value = "How long a client may read nothing of a response before its connection is closed. Slow"
                        + " readers are fine; a stalled one holds a backend connection.",
                defaultValue = "5m")
        Duration stalledReaderTimeout,

        @Setting(
                value = "How long the server still accepts S3 requests after it was told to stop, while /health"
                        + " returns 503. Set it a little longer than a load balancer takes to notice.",
                defaultValue = "0s")
        Duration shutdownDelay,

        @Setting(value = "How long running requests may take to finish when the server stops.", defaultValue = "30s")
        Duration shutdownTimeout,

        @Setting(value = "Whether to log each request.", defaultValue = "false")
        boolean accessLog,

        @Setting("Which request signatures are accepted.") SignatureSettings signatures) {
    private static final long MIN_SEND_BUFFER = 4096;

    /**
     * @throws IllegalArgumentException if a number is out of range
     */
    public S3Settings {
        if (port < 0 || port > 65_535) {
            throw new IllegalArgumentException("port %d is not between 0 and 65535".formatted(port));
        }
        if (sendBuffer.bytes() < MIN_SEND_BUFFER || sendBuffer.bytes() > Integer.MAX_VALUE) {
            throw new IllegalArgumentException("send-buffer %s is not between 4KiB and 2GiB".formatted(sendBuffer));
        }
    }
}
