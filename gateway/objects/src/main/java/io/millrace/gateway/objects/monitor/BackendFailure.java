package io.millrace.gateway.objects.monitor;

import java.time.Instant;

/**
 * A call of a backend that failed.
 *
 * @param operation as the meters have it
 */
public record BackendFailure(Instant at, String operation, String message) {}
