package io.millrace.gateway.control.jobs;

import io.millrace.gateway.jobs.JobStatus;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * The difference between two states of the job list, sent as a server-sent event.
 *
 * @param jobs new and changed jobs, the newest first
 * @param gone ids of jobs that have left the list
 */
public record JobChanges(List<JobView> jobs, List<String> gone) {
    /**
     * Compares the list with the state that was sent before.
     *
     * @param told the state that was sent last, by job id; updated by this call
     * @param what the part of a job's state that counts as a change
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

    // Not isEmpty(): Jackson would send that as a field.
    boolean areNone() {
        return jobs.isEmpty() && gone.isEmpty();
    }
}
