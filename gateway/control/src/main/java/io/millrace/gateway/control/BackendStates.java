package io.millrace.gateway.control;

import io.millrace.gateway.control.BackendCheck.State;
import java.time.Instant;

/** The names under which the states of backends and buckets are remembered, whoever looks at them. */
final class BackendStates {
    private BackendStates() {}

    static Instant since(StateClock clock, String backend, State state) {
        return clock.since("backend " + backend, state.text());
    }

    /** @param bucket the name that clients use */
    static Instant sinceOfBucket(StateClock clock, String bucket, State state) {
        return clock.since("bucket " + bucket, state.text());
    }
}
