package io.millrace.gateway.server;

import io.millrace.auth.AuthSettings;
import io.millrace.config.DataSize;
import io.millrace.config.Setting;
import java.time.Duration;
import java.util.Optional;

/** The data plane: where S3 is served, and how its sockets behave. */
public record S3Settings(
        @Setting(value = "The address S3 is served on. 0.0.0.0 serves every network.", byDefault = "127.0.0.1")
        String address,

        @Setting(value = "Its port; 0 takes any that is free.", byDefault = "9080")
        int port,

        @Setting(
                value = "A domain whose sub-domains are buckets (virtual-host style). Without it, and for every other"
                        + " host, the bucket is the first part of the path.",
                example = "s3.local")
        Optional<String> domain,

        @Setting(
                value = "The socket's send buffer. Small ones keep large answers in the processor's cache and bound"
                        + " slow readers; a long link needs more: its rate times its delay.",
                byDefault = "64KiB")
        DataSize sendBuffer,

        @Setting(value = "How long a connection may stay open without a request.", byDefault = "60s")
        Duration idleTimeout,

        @Setting(
                value =
                        "How long a client may take nothing of an answer before its connection is closed. Slow readers are"
                                + " welcome; one that stands still holds a connection of the backend.",
                byDefault = "5m")
        Duration stalledReader,

        @Setting(
                value =
                        "How long S3 goes on being served when the server is stopped, while /health answers 503. A little"
                                + " more than what a load balancer in front takes to notice keeps it from meeting a closed port.",
                byDefault = "0s")
        Duration drainDelay,

        @Setting(
                value = "How long requests under way may take to finish when the server is stopped.",
                byDefault = "30s")
        Duration drain,

        @Setting(value = "Whether each request gets a line in the log.", byDefault = "false")
        boolean accessLog,

        @Setting("What signatures are accepted.") AuthSettings signatures) {
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
