package io.millrace.gateway.s3.observe;

import java.util.concurrent.atomic.LongAdder;

/** A recorder that counts the requests that have begun and not ended. */
public final class RequestsInFlight implements RequestRecorder {
    private final LongAdder count = new LongAdder();

    /** Returns whether there are none. */
    public boolean isEmpty() {
        return count.sum() == 0;
    }

    @Override
    public void started() {
        count.increment();
    }

    @Override
    public void ended(RequestRecord request) {
        count.decrement();
    }
}
