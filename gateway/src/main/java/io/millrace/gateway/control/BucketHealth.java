package io.millrace.gateway.control;

import io.millrace.gateway.observe.BackendFailure;
import java.util.Optional;

/**
 * How a bucket is that the operator's file names.
 *
 * @param bucket the name that clients use, or several joined by commas
 * @param backendBucket its name at the backend
 * @param state {@code answers}; {@code missing} if the backend has no such bucket; {@code refuses} if it denies a look at it;
 *     {@code fails}; {@code unknown} while the backend itself fails, so that it was not asked about
 * @param message what is wrong, and what to do; empty if nothing is
 * @param lastFailure since the start that speaks against this bucket; none if nothing failed
 */
public record BucketHealth(
        String bucket, String backendBucket, String state, String message, Optional<BackendFailure> lastFailure) {}
