package io.millrace.loadgen;

import java.util.List;

/**
 * The result of one phase of a load test.
 *
 * @param settings the phase's settings in words, for tables: {@code get, uniform, 16 connections}
 * @param startedAt start of the measurement, ms since 1970
 * @param seconds length of the measurement
 * @param targetRate operations per second of an open loop; 0 for a closed loop
 * @param unsent operations of an open loop that were due but not started before the end
 * @param clientCpuSeconds CPU time of the load generator
 * @param clientCpuShare the same as a share of all that its machine or container has, 0 to 1
 * @param cold whether the phase is to measure a cache that has none of the objects
 * @param stopped reason why the phase ended early; empty if it did not
 */
record PhaseResult(
        String name,
        String settings,
        long startedAt,
        double seconds,
        double targetRate,
        long unsent,
        double clientCpuSeconds,
        double clientCpuShare,
        boolean cold,
        String stopped,
        List<OperationResult> operations,
        List<SeriesPoint> series,
        List<FailureCount> failures) {
    /** From this share of its CPU on, a load generator measures itself. */
    private static final double FULL_CPU = 0.9;

    PhaseResult {
        operations = List.copyOf(operations);
        series = List.copyOf(series);
        failures = List.copyOf(failures);
    }

    /** Returns the operations with the right outcome. */
    long right() {
        return operations.stream().mapToLong(OperationResult::right).sum();
    }

    /** Returns the operations that failed or returned wrong bytes. */
    long notRight() {
        return operations.stream()
                .mapToLong(operation -> operation.failed() + operation.wrong())
                .sum();
    }

    // Public, as the two below, because Jackson writes what is public to the result file.
    /** Returns whether at most one in a hundred due operations of an open loop was not sent. */
    public boolean isRateReached() {
        return 100 * unsent <= right() + notRight() + unsent;
    }

    /** Returns whether the CPU of the load generator was the limit. */
    public boolean isClientBound() {
        return clientCpuShare >= FULL_CPU;
    }

    /** Returns the operations that a cache answered. */
    long hits() {
        return operations.stream().mapToLong(OperationResult::hits).sum();
    }

    /** Returns whether a phase that is to be cold had hits. */
    public boolean isWarmInsteadOfCold() {
        return cold && hits() > 0;
    }

    /** Returns the bytes of bodies sent and received. */
    long bytes() {
        return operations.stream().mapToLong(OperationResult::bytes).sum();
    }
}
