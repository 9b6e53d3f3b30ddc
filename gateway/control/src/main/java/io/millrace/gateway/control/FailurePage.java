package io.millrace.gateway.control;

import io.millrace.gateway.jobs.store.ObjectFailure;
import java.util.List;
import java.util.Optional;

/**
 * A page of the failures of a job, in the order in which they occurred.
 *
 * @param next the {@code after} of the next page; empty on the last page
 */
record FailurePage(List<ObjectFailure> failures, Optional<Integer> next) {
    static FailurePage of(List<ObjectFailure> all, int after, int most) {
        int begin = Math.min(after, all.size());
        int end = Math.min(begin + most, all.size());
        return new FailurePage(all.subList(begin, end), end < all.size() ? Optional.of(end) : Optional.empty());
    }
}
