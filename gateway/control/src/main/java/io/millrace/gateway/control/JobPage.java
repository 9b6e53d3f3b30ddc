package io.millrace.gateway.control;

import java.util.List;
import java.util.Optional;

/**
 * A page of jobs, the newest first.
 *
 * @param next the {@code before} of the next page; empty on the last page
 */
record JobPage(List<JobView> jobs, Optional<String> next) {
    /** @param found up to {@code most + 1} jobs; one more than {@code most} means that there is a next page */
    static JobPage of(List<JobView> found, int most) {
        return found.size() > most
                ? new JobPage(
                        found.subList(0, most), Optional.of(found.get(most - 1).id()))
                : new JobPage(found, Optional.empty());
    }
}
