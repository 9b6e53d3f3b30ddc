package io.millrace.gateway.jobs;

import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.gateway.jobs.plan.JobSpec;
import io.millrace.gateway.jobs.plan.Plan;
import io.millrace.gateway.jobs.plan.PlanItem;
import io.millrace.gateway.jobs.plan.RequestForm;
import io.millrace.gateway.jobs.store.LowWatermark;
import io.millrace.gateway.jobs.store.ObjectFailure;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * A kind of jobs: the form of its requests, the rights that a job needs, its plan, its task for each object, and its
 * outlook. Stateless. {@code JobTypes} lists all kinds.
 */
interface JobType {
    /** Returns the form of the requests. */
    RequestForm form();

    /** Returns the rights that a job needs. */
    JobRights rights();

    /**
     * Returns whether a job works on the cache alone, and gives nobody the objects: {@code operate} on its bucket then
     * replaces the rights on these.
     */
    default boolean isOnCacheAlone(JobSpec spec) {
        return false;
    }

    /** Returns whether the plan of a job lists what is cached, whatever its bucket has. */
    default boolean listsCache(JobSpec spec) {
        return false;
    }

    /** Returns whether the plan of a selection by prefix compares the listing of the target with that of the source. */
    default boolean comparesListings(JobSpec spec) {
        return false;
    }

    /**
     * Checks what only this kind requires, as far as the settings of this gateway tell; see {@link JobContext#check}.
     *
     * @throws io.millrace.gateway.jobs.plan.JobException of kind UNSUPPORTED if this gateway lacks something
     * @throws io.millrace.gateway.jobs.plan.InvalidJobException if the request does not fit the buckets
     */
    default void check(JobContext job) {}

    /**
     * Makes the plan of a job; by default the objects of its selection.
     *
     * @param failures those of the job that this one retries
     * @param readable objects that the owner may read as lists that a manifest names
     */
    default Plan plan(JobContext job, List<ObjectFailure> failures, Predicate<ObjectKey> readable) {
        return job.selection(failures, readable);
    }

    /**
     * Returns the key of an item, before it is renamed for the target.
     *
     * @throws IllegalArgumentException if the name of the item has none, which its task reports
     */
    default ObjectKey key(PlanItem item) {
        return item.key();
    }

    /** Makes the task for the objects of a job. */
    ObjectTask task(JobContext job, RunWrites writes);

    /** Makes the outlook of a job from its plan. */
    default JobOutlook outlook(JobContext job, Plan plan) {
        return JobOutlook.NONE;
    }

    /**
     * Returns the most objects that a run may end without recording it, so that the next one looks whether they are
     * done.
     */
    default int mostUnrecorded(JobSpec spec) {
        return LowWatermark.WINDOW;
    }

    /**
     * Returns the message of a job whose plan has no object and that has therefore done its work; empty if it has
     * failed.
     */
    default Optional<String> endOfNothing() {
        return Optional.empty();
    }
}
