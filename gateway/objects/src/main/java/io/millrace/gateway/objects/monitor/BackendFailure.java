package io.millrace.gateway.objects.monitor;

import java.time.Instant;

/**
 * A failed call of a backend: its time, operation and error message.
 *
 * @param operation the operation as in the meters
 */
public record BackendFailure(Instant at, String operation, String message) {}
