package io.millrace.gateway.job;

import java.time.Instant;
import java.util.Optional;

/**
 * A job as its owner sees it; a snapshot.
 *
 * @param id in the order of submission
 * @param owner name of the identity that submitted it
 * @param message why it failed; empty otherwise
 * @param begun when it began to work for the first time
 * @param ended when it came to its end, or was stopped
 * @param activeMillis how long it has worked, pauses left out
 */
public record JobStatus(
        String id,
        String owner,
        JobRequest request,
        JobState state,
        String message,
        Progress progress,
        Instant submitted,
        Optional<Instant> begun,
        Optional<Instant> ended,
        long activeMillis) {}
