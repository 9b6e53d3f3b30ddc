package io.millrace.gateway.jobs.task;

import io.millrace.gateway.jobs.plan.PlanItem;
import io.millrace.gateway.jobs.progress.TaskResult;
import io.millrace.gateway.jobs.progress.TransferProgress;
import reactor.core.publisher.Mono;

/** What a job does with one object. */
@FunctionalInterface
public interface ObjectTask {
    /**
     * Does it; nothing happens before subscription. A failure is tried again if it looks like passing.
     *
     * @param doubtful whether it may have been done before the program was killed
     * @param transfer counts the bytes of this attempt while they move
     */
    Mono<TaskResult> run(PlanItem item, boolean doubtful, TransferProgress transfer);
}
