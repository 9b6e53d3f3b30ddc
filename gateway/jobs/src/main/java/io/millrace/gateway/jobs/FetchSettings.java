package io.millrace.gateway.jobs;

import io.millrace.backend.http.AddressRange;
import io.millrace.backend.http.AllowedUrlPattern;
import io.millrace.config.SettingDescription;
import io.millrace.config.problem.RefusedSettingException;
import java.time.Duration;
import java.util.List;

/**
 * The allowed URLs and addresses of downloads, and their timeouts.
 *
 * @param connectTimeout at least 1 ms
 * @param firstByteTimeout at least 1 ms
 * @param idleTimeout at least 1 ms
 */
public record FetchSettings(
        @SettingDescription(
                value = "Allowed URL prefixes: scheme, host, port and path up to the end of a segment; *. before a"
                        + " host stands for all its subdomains. Redirects must match too. Without an entry"
                        + " nothing is downloaded.",
                example = "https://*.example.com/sets/")
        List<AllowedUrlPattern> allowedUrls,

        @SettingDescription(
                value = "Address ranges that downloads may connect to although they are not public, such as private"
                        + " networks. Anyone who may download can reach the servers there.",
                example = "10.1.0.0/16")
        List<AddressRange> allowedPrivateAddresses,

        @SettingDescription(
                value = "How long to wait for a connection, and as long again for TLS.",
                defaultValue = "10s")
        Duration connectTimeout,

        @SettingDescription(value = "How long to wait for the response headers.", defaultValue = "60s")
        Duration firstByteTimeout,

        @SettingDescription(
                value = "How long a server may send nothing in the middle of a response.",
                defaultValue = "60s")
        Duration idleTimeout) {
    private static final Duration LEAST = Duration.ofMillis(1);

    /**
     * Checks the values.
     *
     * @throws IllegalArgumentException if a timeout is too short
     */
    public FetchSettings {
        allowedUrls = List.copyOf(allowedUrls);
        allowedPrivateAddresses = List.copyOf(allowedPrivateAddresses);
        requireTime("connect-timeout", connectTimeout);
        requireTime("first-byte-timeout", firstByteTimeout);
        requireTime("idle-timeout", idleTimeout);
    }

    private static void requireTime(String key, Duration time) {
        if (time.compareTo(LEAST) < 0) {
            throw new RefusedSettingException(key, "is less than 1ms", "write a time such as 60s");
        }
    }
}
