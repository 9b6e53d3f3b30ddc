package io.millrace.gateway.objects.monitor;

import java.time.Instant;
import java.util.Optional;

/**
 * A recent request for an object that did not come from the cache alone.
 *
 * @param at when it ended
 * @param cache the result of the cache; empty if no cache or backend was involved
 * @param status 0 if no response was sent
 * @param bytes bytes of the body sent to the client
 * @param micros time from the head of the request to its end
 */
public record RecentRequest(
        Instant at,
        String requestId,
        String operation,
        Optional<String> cache,
        int status,
        String outcome,
        long bytes,
        long micros) {}
