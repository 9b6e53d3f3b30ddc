package io.millrace.loadgen;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The measurements of one run of a scenario by the load generator, as its result file has them.
 *
 * @param label name of the run in comparisons
 * @param endpoints URLs of the buckets
 * @param objects the objects in words, as {@code 500 generated objects of 1MiB below bench/}; missing in older files
 * @param client operating system, processors and Java version of the load generator
 * @param processes processes that the result was merged from
 */
record RunResult(
        String label,
        String scenario,
        List<String> endpoints,
        String client,
        @Nullable String objects,
        int processes,
        List<PhaseResult> phases) {
    RunResult {
        endpoints = List.copyOf(endpoints);
        phases = List.copyOf(phases);
    }
}
