package io.millrace.gateway.objects.monitor;

import java.util.OptionalLong;

/**
 * The load of a backend in a period: its calls, failures and latency.
 *
 * @param calls calls that ended
 * @param errors calls that failed because of the backend or because it rejected the gateway's credentials; failures
 *     that concern one bucket or the request are not counted
 * @param meanMicros mean time to the response headers, without waits for the body to send; empty without calls
 */
public record BackendCallStatistics(long calls, long errors, OptionalLong meanMicros) {
    /** No calls. */
    public static final BackendCallStatistics NONE = new BackendCallStatistics(0, 0, OptionalLong.empty());
}
