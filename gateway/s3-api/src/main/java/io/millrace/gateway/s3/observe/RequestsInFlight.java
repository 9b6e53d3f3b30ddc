package io.millrace.gateway.s3.observe;

import java.util.concurrent.atomic.LongAdder;
import reactor.core.publisher.Mono;

/** A recorder that counts the requests that have begun and not ended. */
public final class RequestsInFlight implements RequestRecorder {
    private final LongAdder count = new LongAdder();

    /** Returns whether there are none. */
    public boolean isEmpty() {
        return count.sum() == 0;
    }

    /** Counts a request of another protocol than S3 while it is served. */
    public Mono<Void> counted(Mono<Void> request) {
        return Mono.defer(() -> {
            count.increment();
            return request.doFinally(end -> count.decrement());
        });
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
