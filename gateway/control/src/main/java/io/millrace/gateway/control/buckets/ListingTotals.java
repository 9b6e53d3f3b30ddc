package io.millrace.gateway.control.buckets;

import io.millrace.gateway.jobs.plan.PlanFactory;
import io.millrace.gateway.jobs.plan.PlanItem;
import io.millrace.gateway.objects.bucket.BucketView;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import reactor.core.publisher.Mono;
import reactor.util.retry.Retry;

/**
 * Totals of one step of listing a bucket at its backend.
 *
 * @param objects number of objects listed
 * @param bytes their size
 * @param next the {@code from} of the next step; empty after the last
 */
public record ListingTotals(long objects, long bytes, Optional<String> next) {
    /** Ten list requests, which take a second or two with a distant backend. */
    private static final int STEP = 10_000;

    private static final Retry RETRY = Retry.backoff(2, Duration.ofMillis(200));

    /**
     * Lists up to 10,000 objects.
     *
     * @param from the {@link #next} of the step before; empty at the beginning
     */
    static Mono<ListingTotals> step(BucketView bucket, String prefix, String from) {
        return PlanFactory.listing(bucket, prefix, RETRY)
                .from(from.isEmpty() ? Optional.empty() : Optional.of(from))
                .take(STEP)
                .collectList()
                .map(ListingTotals::of);
    }

    private static ListingTotals of(List<PlanItem> listed) {
        long bytes = listed.stream().mapToLong(PlanItem::size).sum();
        Optional<String> next = listed.size() < STEP
                ? Optional.empty()
                : Optional.of(listed.get(STEP - 1).position());
        return new ListingTotals(listed.size(), bytes, next);
    }
}
