package io.millrace.gateway.objects.monitor;

import java.util.OptionalLong;

/**
 * What was asked of a backend in a while.
 *
 * @param calls that ended
 * @param errors of these, by which the backend was in trouble or rejected the gateway's credentials; what speaks against one bucket
 *     or against what was asked for is none
 * @param meanMicros to the head of the answer; none without calls
 */
public record BackendLoad(long calls, long errors, OptionalLong meanMicros) {
    /** Nothing. */
    public static final BackendLoad NONE = new BackendLoad(0, 0, OptionalLong.empty());
}
