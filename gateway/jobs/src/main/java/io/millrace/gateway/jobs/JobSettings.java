package io.millrace.gateway.jobs;

import io.millrace.config.SettingDescription;

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
        if (maxRunning < 1 || maxRunning > 64) {
            throw new IllegalArgumentException("max-running is 1 to 64");
        }
        if (maxEnded < 0 || maxEnded > 100_000) {
            throw new IllegalArgumentException("max-ended is 0 to 100000");
        }
    }
}
