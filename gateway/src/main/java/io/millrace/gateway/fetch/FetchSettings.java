package io.millrace.gateway.fetch;

import io.millrace.config.Setting;
import java.time.Duration;
import java.util.List;

/**
 * What may be fetched from the web, and how long its servers are waited for.
 *
 * @param connectTimeout at least 1 ms
 * @param firstByteTimeout at least 1 ms
 * @param idleTimeout at least 1 ms
 */
public record FetchSettings(
        @Setting(
                value =
                        "What a URL must begin with: scheme, host, port and path, up to the end of a segment; *. before a"
                                + " host is all names below it. Also where an answer redirects to. Without an entry nothing is"
                                + " downloaded.",
                example = "https://*.example.com/sets/")
        List<AllowedUrl> allow,

        @Setting(
                value =
                        "Ranges of addresses that may be connected to though they are not public: of private networks, of"
                                + " this machine, of clouds' insides. Whoever may download reaches what answers there.",
                example = "10.1.0.0/16")
        List<AddressRange> privateAddresses,

        @Setting(value = "How long a connection may take to be made, and its TLS.", byDefault = "10s")
        Duration connectTimeout,

        @Setting(value = "How long a server may take to begin its answer.", byDefault = "60s")
        Duration firstByteTimeout,

        @Setting(value = "How long a server may send nothing in the middle of an answer.", byDefault = "60s")
        Duration idleTimeout) {
    private static final Duration LEAST = Duration.ofMillis(1);

    /**
     * @throws IllegalArgumentException if a time is none
     */
    public FetchSettings {
        allow = List.copyOf(allow);
        privateAddresses = List.copyOf(privateAddresses);
        for (Duration time : List.of(connectTimeout, firstByteTimeout, idleTimeout)) {
            if (time.compareTo(LEAST) < 0) {
                throw new IllegalArgumentException("a timeout is 1ms or more");
            }
        }
    }
}
