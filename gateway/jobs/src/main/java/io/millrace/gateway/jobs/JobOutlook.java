package io.millrace.gateway.jobs;

import io.millrace.gateway.jobs.store.JobProgress;
import java.time.Duration;
import java.util.concurrent.TimeoutException;
import reactor.core.publisher.Mono;

/** The outlook of a job for its owner: a warning when its objects are counted, and a summary at its end. */
interface JobOutlook {
    /** The outlook of a job of which there is nothing to tell. */
    JobOutlook NONE = new JobOutlook() {};

    /**
     * Returns a warning when the objects are counted; empty if there is none.
     *
     * @throws io.millrace.gateway.jobs.store.JobCannotContinueException if the job cannot do what it is for
     */
    default String counted(JobProgress found) {
        return "";
    }

    /** Returns what the owner should know after the end of all objects; empty if there is nothing. */
    default Mono<String> ended(JobProgress all) {
        return Mono.just("");
    }

    /** Returns the same, or that it could not be found out within this time. Never fails: the job has done its work. */
    default Mono<String> endedWithin(Duration longest, JobProgress all) {
        return Mono.defer(() -> ended(all)).timeout(longest).onErrorResume(failure -> {
            String why = failure instanceof TimeoutException
                    ? "it took longer than %d s".formatted(longest.toSeconds())
                    : FailureClassifier.ofTheJob(failure).orElseGet(() -> FailureClassifier.text(failure));
            return Mono.just("how much is cached still could not be counted: " + why);
        });
    }
}
