package io.millrace.gateway.jobs;

import io.millrace.gateway.jobs.plan.PlanItem;
import io.millrace.gateway.jobs.store.ObjectAttemptProgress;
import io.millrace.gateway.jobs.store.TaskResult;
import reactor.core.publisher.Mono;

/** Processes one object of a job: the interface of all job tasks. */
@FunctionalInterface
interface ObjectTask {
    /**
     * Processes an object after subscription. A transient failure is retried.
     *
     * @param mayBeDone true if an earlier run may have processed the object
     * @param transfer counts the bytes of this attempt
     */
    Mono<TaskResult> run(PlanItem item, boolean mayBeDone, ObjectAttemptProgress transfer);
}
