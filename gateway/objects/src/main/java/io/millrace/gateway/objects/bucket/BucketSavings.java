package io.millrace.gateway.objects.bucket;

import java.util.Optional;
import java.util.concurrent.atomic.LongAdder;

/**
 * Counts the reads that clients sent for one backend bucket, and those that the gateway sent to its backend. The
 * difference is what the cache saved since the start; it is negative if more was fetched than read. Thread-safe.
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
     * A snapshot of a bucket's savings.
     *
     * @param backend the backend's name in the settings
     * @param bucket the backend's own name; empty for the buckets beyond the maximum, which are counted together
     * @param requestsServed GETs and HEADs of objects and items of batches that were served
     * @param bytesServed bytes of response bodies
     * @param requestsSent GETs and HEADs of objects that were sent to the backend
     * @param bytesFetched bytes of bodies received from the backend
     * @param moneySaved in the currency of the price list; empty if there is no price
     */
    public record SavingsSnapshot(
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

    /** Counts a read that was served with a body of this size. */
    public void served(long bytes) {
        // In this order a snapshot has the bytes of all requests that it counts.
        bytesServed.add(bytes);
        requestsServed.increment();
    }

    /** Counts a read that was sent to the backend. */
    void sent() {
        requestsSent.increment();
    }

    /** Counts bytes of a body received from the backend. */
    void fetched(long bytes) {
        bytesFetched.add(bytes);
    }

    /** Returns a snapshot. */
    public SavingsSnapshot statement() {
        long served = requestsServed.sum();
        long sent = requestsSent.sum();
        long out = bytesServed.sum();
        long in = bytesFetched.sum();
        return new SavingsSnapshot(
                backend,
                bucket,
                served,
                out,
                sent,
                in,
                price.isFree() ? Optional.empty() : Optional.of(price.cost(served - sent, out - in)));
    }
}
