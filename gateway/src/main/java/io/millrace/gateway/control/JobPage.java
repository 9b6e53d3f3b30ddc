package io.millrace.gateway.control;

import java.util.List;
import java.util.Optional;

/**
 * Some jobs, the youngest first.
 *
 * @param next what {@code before} is for the next page; absent on the last
 */
record JobPage(List<JobView> jobs, Optional<String> next) {
    /** @param found one more than the page shall have, if there are as many */
    static JobPage of(List<JobView> found, int most) {
        return found.size() > most
                ? new JobPage(
                        found.subList(0, most), Optional.of(found.get(most - 1).id()))
                : new JobPage(found, Optional.empty());
    }
}
