package io.millrace.gateway.jobs.store;

import java.time.Duration;
import java.util.Optional;

/**
 * The speed of a job over the last seconds.
 *
 * @param objectsPerSecond ended objects
 * @param bytesPerSecond transferred bytes
 * @param left estimated time to the end; empty if there is no estimate
 */
public record JobSpeed(double objectsPerSecond, double bytesPerSecond, Optional<Duration> left) {}
