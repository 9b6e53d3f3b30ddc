package io.millrace.gateway.objects.bucket;

import io.millrace.config.SettingDescription;
import io.millrace.config.problem.RefusedSettingException;
import java.time.Duration;

/** The settings of a bucket without a backend: its objects are in the cache and nowhere else. */
public record ScratchSettings(
        @SettingDescription(
                value = "How long after its write an object is there at most: later it is absent, read or not.",
                example = "24h")
        Duration ttl) {
    /** Begins the name that stands for the backend of a scratch bucket. */
    static final String PLACE = "scratch:";

    /** @throws IllegalArgumentException if the time is none */
    public ScratchSettings {
        if (ttl.isZero() || ttl.isNegative()) {
            throw new RefusedSettingException("ttl", "is no time", "write how long objects are of use, such as 24h");
        }
    }

    /** Returns the rule by which other parts of the gateway explain how long an object is served. */
    FreshnessSettings freshness() {
        return new FreshnessSettings(
                FreshnessSettings.Mode.TTL, ttl, Duration.ZERO, Duration.ZERO, Duration.ZERO, Duration.ZERO);
    }
}
