package io.millrace.gateway.control;

import io.millrace.gateway.objects.monitor.BackendFailure;
import java.time.Instant;
import java.util.Optional;

/**
 * The health of a bucket, as the last check of its backend found it, under one of the names that clients use.
 *
 * @param bucket the name that clients use
 * @param backendBucket its name at the backend
 * @param state {@code answers}; {@code missing} if the backend has no such bucket; {@code refuses} if it denies access
 *     to it; {@code fails}; {@code unknown} while the backend itself fails, so that the bucket was not checked
 * @param since when it was first seen in this state
 * @param message what is wrong, and what to do; empty if nothing is wrong
 * @param lastFailure the last failure since the start that concerns this bucket; empty if there was none
 */
public record BucketHealth(
        String bucket,
        String backendBucket,
        String state,
        Instant since,
        String message,
        Optional<BackendFailure> lastFailure) {}
