package io.millrace.cache.settings;

import io.millrace.config.DataSize;
import io.millrace.config.SettingDescription;
import io.millrace.config.problem.ProblemReporter;
import io.millrace.config.problem.SelfValidatingSettings;
import java.time.Duration;

/**
 * The settings of the scrub, the background verification of cached blocks: how often it verifies each, and how fast it
 * reads.
 */
public record ScrubSettings(
        @SettingDescription(value = "The time in which every record on a disk is verified once.", defaultValue = "7d")
        Duration interval,

        @SettingDescription(
                value = "The maximum read rate of the scrub per second and disk; 0B turns it off.",
                defaultValue = "32MiB")
        DataSize rate)
        implements SelfValidatingSettings {
    private static final Duration SHORTEST = Duration.ofMinutes(1);

    /** Returns whether the scrub is on. */
    public boolean isOn() {
        return rate.bytes() > 0;
    }

    @Override
    public void check(ProblemReporter problems) {
        if (interval.compareTo(SHORTEST) < 0) {
            problems.add("interval", interval, "is less than a minute", "write 7d");
        }
    }
}
