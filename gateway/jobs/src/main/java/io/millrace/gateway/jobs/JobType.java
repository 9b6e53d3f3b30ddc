package io.millrace.gateway.jobs;

import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.gateway.jobs.plan.JobSpec;
import io.millrace.gateway.jobs.plan.Plan;
import io.millrace.gateway.jobs.plan.PlanItem;
import io.millrace.gateway.jobs.plan.RequestForm;
import io.millrace.gateway.jobs.store.LowWatermark;
import java.util.List;
import java.util.Optional;

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

    /** Returns whether the plan of a job lists the target for another reason. */
    default boolean listsTarget(JobSpec spec) {
        return false;
    }

    /**
     * Checks what only this kind requires, as far as the settings of this gateway tell; see {@link JobContext#check}.
     *
     * @throws io.millrace.gateway.jobs.plan.JobException of kind UNSUPPORTED if this gateway lacks something
     * @throws io.millrace.gateway.jobs.plan.InvalidJobException if the request does not fit the buckets
     */
    default void check(JobContext job) {}

    /** Makes the plan of a job; by default the objects of its selection. */
    default Plan plan(JobContext job, PlanInputs inputs) {
        return job.selection(inputs);
    }

    /**
     * Returns whether the items of a plan are objects that the job makes, each of several that it reads; its task then
     * requires the right to read these.
     */
    default boolean makesItems() {
        return false;
    }

    /**
     * Returns the keys that are written for an item, before they are renamed for the target.
     *
     * @throws IllegalArgumentException if the name of the item has none, which its task reports
     */
    default List<ObjectKey> keys(PlanItem item) {
        return List.of(item.key());
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
