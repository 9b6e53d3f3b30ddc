package io.millrace.gateway.jobs;

import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.gateway.jobs.store.ObjectFailure;
import java.util.List;
import java.util.function.Predicate;

/**
 * The things that a plan of one run is made of, besides the request and the buckets.
 *
 * @param failures those of the job that this one retries
 * @param lists objects that the owner may read as lists that a manifest names
 * @param readable objects of the source that the owner may read, for a kind that looks at them before its tasks
 * @param arrangement of the shards of the job, for a kind that makes some
 */
record PlanInputs(
        List<ObjectFailure> failures,
        Predicate<ObjectKey> lists,
        Predicate<ObjectKey> readable,
        ShardArrangement arrangement) {}
