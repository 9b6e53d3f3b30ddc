package io.millrace.gateway.control;

import io.millrace.gateway.bucket.BucketView;
import io.millrace.gateway.job.plan.Item;
import io.millrace.gateway.job.plan.Plans;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import reactor.core.publisher.Mono;
import reactor.util.retry.Retry;

/**
 * How much a bucket's own list has below a prefix, as far as one step goes.
 *
 * @param objects that it lists
 * @param bytes of theirs
 * @param next where the next step begins; none after the last
 */
record ListedView(long objects, long bytes, Optional<String> next) {
    /** Ten pages: a second or two of a backend far away. */
    private static final int STEP = 10_000;

    private static final Retry RETRY = Retry.backoff(2, Duration.ofMillis(200));

    /**
     * Lists a step.
     *
     * @param from an earlier {@link #next}; empty at the beginning
     */
    static Mono<ListedView> step(BucketView bucket, String prefix, String from) {
        return Plans.listing(bucket, prefix, RETRY)
                .from(from.isEmpty() ? Optional.empty() : Optional.of(from))
                .take(STEP)
                .collectList()
                .map(ListedView::of);
    }

    private static ListedView of(List<Item> listed) {
        long bytes = listed.stream().mapToLong(Item::size).sum();
        Optional<String> next = listed.size() < STEP
                ? Optional.empty()
                : Optional.of(listed.get(STEP - 1).position());
        return new ListedView(listed.size(), bytes, next);
    }
}
