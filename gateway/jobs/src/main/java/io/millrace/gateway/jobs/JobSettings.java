package io.millrace.gateway.jobs;

import io.millrace.config.Setting;

/**
 * Limits of jobs on this gateway.
 *
 * @param parallel 1 to 64
 * @param history 0 to 100,000
 */
public record JobSettings(
        @Setting(
                value = "How many jobs run at the same time, one fewer for a single identity; others wait.",
                defaultValue = "4")
        int parallel,

        @Setting(value = "How many ended jobs are kept; the oldest are deleted first.", defaultValue = "1000")
        int history) {
    /**
     * Checks the values.
     *
     * @throws IllegalArgumentException if a number is out of range
     */
    public JobSettings {
        if (parallel < 1 || parallel > 64) {
            throw new IllegalArgumentException("parallel is 1 to 64");
        }
        if (history < 0 || history > 100_000) {
            throw new IllegalArgumentException("history is 0 to 100000");
        }
    }
}
