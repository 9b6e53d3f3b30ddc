package io.millrace.backend.resilience;

import java.util.concurrent.atomic.LongAdder;

/** Counts what resilience does to the requests of a backend, for meters. Thread-safe. */
public final class ResilienceStats {
    final LongAdder retries = new LongAdder();
    final LongAdder hedges = new LongAdder();
    final LongAdder refusals = new LongAdder();
    final LongAdder deadlines = new LongAdder();
    private final CircuitBreaker breaker;
    private final AdaptiveConcurrencyLimit limit;
    private final ClientStreams streams;

    ResilienceStats(CircuitBreaker breaker, AdaptiveConcurrencyLimit limit, ClientStreams streams) {
        this.breaker = breaker;
        this.limit = limit;
        this.streams = streams;
    }

    /** Returns the number of requests that were sent again after a failure. */
    public long retries() {
        return retries.sum();
    }

    /** Returns the number of reads that were sent twice at one time. */
    public long hedges() {
        return hedges.sum();
    }

    /** Returns the number of requests that were not sent. */
    public long refusals() {
        return refusals.sum();
    }

    /** Returns the number of requests without a response at their deadline. */
    public long deadlines() {
        return deadlines.sum();
    }

    /** Returns whether the breaker stops requests. */
    public boolean isDown() {
        return breaker.isOpen();
    }

    /** Returns the current limit of requests that wait for a response. */
    public int limit() {
        return limit.limit();
    }

    /** Returns the number of requests that wait for a response. */
    public int inFlight() {
        return limit.inFlight();
    }

    /** Returns the number of streams that last as long as clients like. */
    public int clientStreams() {
        return streams.size();
    }

    /** Returns the number of requests in the queue of the limit. */
    public int waiting() {
        return limit.waiting();
    }
}
