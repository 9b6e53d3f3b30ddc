package io.millrace.gateway.jobs.plan;

import java.util.Optional;
import reactor.core.publisher.Flux;

/** The objects of a job, in an order that is the same each time as long as nothing changes. Holds no more than a page of them. */
@FunctionalInterface
public interface Plan {
    /**
     * The objects behind a position, which an {@link PlanItem} told; from the first one if there is none. Nothing is asked for faster than
     * it is wanted. Errors are {@link io.millrace.backend.spi.BackendException}s and {@link PlanException}s.
     */
    Flux<PlanItem> from(Optional<String> position);
}
