package io.millrace.gateway.jobs.progress;

import java.time.Duration;
import java.util.Optional;

/**
 * The speed of a job over the last seconds.
 *
 * @param objectsPerSecond objects that had their turn
 * @param bytesPerSecond bytes that moved
 * @param left time until the end at this speed; empty while that cannot be told
 */
public record JobSpeed(double objectsPerSecond, double bytesPerSecond, Optional<Duration> left) {}
