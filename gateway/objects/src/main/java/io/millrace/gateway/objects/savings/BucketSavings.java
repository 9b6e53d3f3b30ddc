package io.millrace.gateway.objects.savings;

import java.util.Optional;
import java.util.concurrent.atomic.LongAdder;

/**
 * Reads of one bucket where it really lives: those that clients sent to us, and those that we sent to its backend for them, ahead of them, or
 * to know what is there. The difference is what was saved since the start; it is below 0 where more was fetched than read. Safe for use by
 * any number of threads.
 */
public final class BucketSavings {
    private final String backend;
    private final String bucket;
    private final PriceSettings price;
    private final LongAdder requestsServed = new LongAdder();
    private final LongAdder bytesServed = new LongAdder();
    private final LongAdder requestsSent = new LongAdder();
    private final LongAdder bytesFetched = new LongAdder();

    BucketSavings(String backend, String bucket, PriceSettings price) {
        this.backend = backend;
        this.bucket = bucket;
        this.price = price;
    }

    /**
     * An account at a moment.
     *
     * @param backend its name in the operator's file
     * @param bucket the backend's own name; empty for all that are too many to tell apart
     * @param requestsServed GETs and HEADs of objects that were answered
     * @param bytesServed bytes of bodies of the answers
     * @param requestsSent GETs and HEADs of objects that were sent
     * @param bytesFetched bytes of bodies that came
     * @param moneySaved in the currency of the price list; empty if there is no price
     */
    public record Statement(
            String backend,
            String bucket,
            long requestsServed,
            long bytesServed,
            long requestsSent,
            long bytesFetched,
            Optional<Double> moneySaved) {
        public long requestsSaved() {
            return requestsServed - requestsSent;
        }

        public long bytesSaved() {
            return bytesServed - bytesFetched;
        }
    }

    /** A client's read was answered with a body of so many bytes. */
    public void served(long bytes) {
        requestsServed.increment();
        bytesServed.add(bytes);
    }

    /** A read was sent to the backend. */
    void sent() {
        requestsSent.increment();
    }

    /** So many bytes of a body came from the backend. */
    void fetched(long bytes) {
        bytesFetched.add(bytes);
    }

    /** Its numbers now. */
    public Statement statement() {
        long served = requestsServed.sum();
        long sent = requestsSent.sum();
        long out = bytesServed.sum();
        long in = bytesFetched.sum();
        return new Statement(
                backend,
                bucket,
                served,
                out,
                sent,
                in,
                price.isFree() ? Optional.empty() : Optional.of(price.of(served - sent, out - in)));
    }
}
