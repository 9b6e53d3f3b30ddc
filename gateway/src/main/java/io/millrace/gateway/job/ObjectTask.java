package io.millrace.gateway.job;

import io.millrace.gateway.job.plan.Item;
import reactor.core.publisher.Mono;

/** What a job does with one object. */
@FunctionalInterface
interface ObjectTask {
    /**
     * Does it; nothing happens before subscription. A failure is tried again if it looks like passing.
     *
     * @param doubtful whether it may have been done before the program was killed
     * @param transfer counts the bytes of this attempt while they move
     */
    Mono<Ended> run(Item item, boolean doubtful, Transfer transfer);
}
