package io.millrace.gateway.jobs.plan;

import java.util.Optional;
import reactor.core.publisher.Flux;

/** Lists the objects of a job in a stable order. Holds at most a page of them. */
@FunctionalInterface
public interface Plan {
    /**
     * Lists the objects after a position of {@link PlanItem#position}, or all if there is none. Respects demand. Errors
     * are {@link io.millrace.backend.spi.BackendException}s and {@link PlanException}s.
     */
    Flux<PlanItem> from(Optional<String> position);
}
