package io.millrace.gateway.control;

import io.millrace.gateway.job.Failure;
import java.util.List;
import java.util.Optional;

/**
 * Some of what failed in a job, in the order in which it failed.
 *
 * @param next what {@code after} is for the next page; absent on the last
 */
record FailurePage(List<Failure> failures, Optional<Integer> next) {
    static FailurePage of(List<Failure> all, int after, int most) {
        int begin = Math.min(after, all.size());
        int end = Math.min(begin + most, all.size());
        return new FailurePage(all.subList(begin, end), end < all.size() ? Optional.of(end) : Optional.empty());
    }
}
