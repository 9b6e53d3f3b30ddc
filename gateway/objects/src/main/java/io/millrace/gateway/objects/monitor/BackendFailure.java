package io.millrace.gateway.objects.monitor;

import java.time.Instant;

/**
 * A failed backend call.
 *
 * @param operation the operation as in the meters
 */
public record BackendFailure(Instant at, String operation, String message) {}
