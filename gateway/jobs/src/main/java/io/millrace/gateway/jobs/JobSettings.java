package io.millrace.gateway.jobs;

import io.millrace.config.SettingDescription;
import io.millrace.config.problem.SettingRange;

/**
 * Settings of jobs: how many run concurrently, and how many ended ones are kept.
 *
 * @param maxRunning 1 to 64
 * @param maxEnded 0 to 100,000
 */
public record JobSettings(
        @SettingDescription(
                value = "How many jobs run at the same time, one fewer for a single identity; others wait.",
                defaultValue = "4")
        int maxRunning,

        @SettingDescription(
                value = "How many ended jobs are kept; the oldest are deleted first.",
                defaultValue = "1000")
        int maxEnded) {
    /**
     * Checks the values.
     *
     * @throws IllegalArgumentException if a number is out of range
     */
    public JobSettings {
        SettingRange.require("max-running", maxRunning, 1, 64);
        SettingRange.require("max-ended", maxEnded, 0, 100_000);
    }
}
