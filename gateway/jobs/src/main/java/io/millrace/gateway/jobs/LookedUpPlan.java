package io.millrace.gateway.jobs;

import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.gateway.jobs.plan.Plan;
import io.millrace.gateway.jobs.plan.PlanException;
import io.millrace.gateway.jobs.plan.PlanItem;
import io.millrace.kit.async.RateLimiter;
import java.util.Optional;
import java.util.function.Predicate;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Lists objects by their names, in the order of these, with what a HEAD says of each; none for what an inventory has
 * said. It asks for as many at a time as the job has workers.
 *
 * @param names the objects of the selection
 * @param readable the objects that the owner of the job may read; of others it tells nothing
 */
record LookedUpPlan(Plan names, JobContext job, Predicate<ObjectKey> readable) implements Plan {
    @Override
    public Flux<PlanItem> from(Optional<String> position) {
        RateLimiter requests = job.spec().limits().turns();
        return names.from(position)
                .flatMapSequential(
                        item -> lookedUp(item, requests), job.spec().limits().workers(), 1);
    }

    private Mono<PlanItem> lookedUp(PlanItem item, RateLimiter requests) {
        ObjectKey key = item.key();
        if (!readable.test(key)) {
            return Mono.error(new PlanException("AccessDenied, its owner lacks the right read on " + place(key)));
        }
        if (item.listed().isPresent()) {
            return Mono.just(item);
        }
        return job.lookUp(key, requests)
                .map(found -> new PlanItem(key, Optional.of(found), item.position()))
                .onErrorMap(
                        FailureClassifier::isAbsent,
                        absent -> new PlanException(
                                "there is no %s, which it selects: leave it out, and submit the job again"
                                        .formatted(place(key))))
                .onErrorMap(
                        FailureClassifier::isDenied,
                        denied -> new PlanException("%s: %s".formatted(place(key), FailureClassifier.text(denied))));
    }

    private String place(ObjectKey key) {
        return "s3://" + job.from().name() + "/" + key;
    }
}
