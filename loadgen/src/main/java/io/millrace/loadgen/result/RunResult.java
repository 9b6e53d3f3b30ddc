package io.millrace.loadgen.result;

import java.util.List;

/**
 * Result of one run of a scenario.
 *
 * @param label name of the run in comparisons
 * @param endpoints URLs of the buckets
 * @param client operating system, processors and Java version of the load generator
 * @param processes processes that the result was merged from
 */
public record RunResult(
        String label, String scenario, List<String> endpoints, String client, int processes, List<PhaseResult> phases) {
    public RunResult {
        endpoints = List.copyOf(endpoints);
        phases = List.copyOf(phases);
    }
}
