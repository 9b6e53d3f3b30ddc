package io.millrace.gateway.jobs;

import io.millrace.auth.policy.Right;
import java.util.Optional;

/**
 * The rights that jobs of one kind need of their owner, besides those to list and read what they select.
 *
 * @param onBucket the right on their bucket as a whole; empty if those on objects are enough
 * @param onTarget the right on each object of the target; empty if they have none
 * @param carriesTags whether they read the tags of objects and write them to the target
 */
record JobRights(Optional<Right> onBucket, Optional<Right> onTarget, boolean carriesTags) {}
