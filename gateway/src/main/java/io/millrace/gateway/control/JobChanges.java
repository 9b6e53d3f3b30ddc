package io.millrace.gateway.control;

import io.millrace.gateway.job.JobStatus;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * What has changed in a list of jobs.
 *
 * @param jobs that are new or have changed, the youngest first
 * @param gone ids of those that are not in the list any more
 */
record JobChanges(List<JobView> jobs, List<String> gone) {
    /**
     * Compares.
     *
     * @param told what was told before, by id; brought up to date
     * @param what has to differ for a job to have changed
     */
    static JobChanges since(
            Map<String, List<Object>> told, List<JobStatus> now, Function<JobStatus, List<Object>> what) {
        Set<String> there = now.stream().map(JobStatus::id).collect(Collectors.toSet());
        List<String> gone =
                told.keySet().stream().filter(id -> !there.contains(id)).toList();
        told.keySet().retainAll(there);
        List<JobView> changed = now.stream()
                .filter(job -> {
                    List<Object> counts = what.apply(job);
                    return !Objects.equals(told.put(job.id(), counts), counts);
                })
                .map(JobView::brief)
                .toList();
        return new JobChanges(changed, gone);
    }

    boolean areNone() {
        return jobs.isEmpty() && gone.isEmpty();
    }
}
