package io.millrace.gateway.jobs;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.S3Error;
import io.millrace.gateway.jobs.plan.Plan;
import io.millrace.gateway.jobs.plan.PlanException;
import io.millrace.gateway.jobs.plan.PlanItem;
import io.millrace.gateway.jobs.plan.PlanItem.Listed;
import io.millrace.kit.async.RateLimiter;
import java.util.Optional;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * A selection of what a transform makes, with the true size of each result: one that was not made yet is listed without
 * an ETag and with the largest size that it may have, and is made now. As many are made at a time as the job has
 * workers.
 */
record MadeSizesPlan(Plan selection, JobContext job) implements Plan {
    @Override
    public Flux<PlanItem> from(Optional<String> position) {
        RateLimiter requests = job.spec().limits().turns();
        return selection
                .from(position)
                .flatMapSequential(
                        item -> sized(item, requests), job.spec().limits().workers(), 1);
    }

    private Mono<PlanItem> sized(PlanItem item, RateLimiter requests) {
        if (item.listed().flatMap(Listed::eTag).isPresent()) {
            return Mono.just(item);
        }
        return job.lookUp(item.key(), requests)
                .map(found ->
                        new PlanItem(item.name(), item.versionId(), Optional.of(found), item.there(), item.position()))
                .onErrorMap(BackendException.class, failure -> named(item, failure));
    }

    /** Names the object of which nothing is made, as a shard would lack it. */
    private static RuntimeException named(PlanItem item, BackendException failure) {
        if (FailureClassifier.isPassing(failure)) {
            return failure;
        }
        String why = failure.s3Error().map(S3Error::message).orElseGet(() -> String.valueOf(failure.getMessage()));
        return new PlanException("%s: %s".formatted(item.name(), why));
    }
}
