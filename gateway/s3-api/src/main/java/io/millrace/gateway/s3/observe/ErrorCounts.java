package io.millrace.gateway.s3.observe;

import io.millrace.backend.spi.object.BucketName;
import io.millrace.gateway.s3.protocol.RequestTarget;
import io.millrace.gateway.s3.protocol.S3Request;
import java.util.Comparator;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Predicate;

/**
 * Counts failed requests by bucket and status, those of buckets without a name in {@link TrafficByName} under one name. Other requests
 * cost a comparison. Thread-safe.
 */
public final class ErrorCounts implements RequestRecorder {
    /** The bucket of requests that name none; not that of a bucket, which has no parentheses. */
    static final String NO_BUCKET = "(none)";

    private static final String BROKEN = "broken";
    private static final int LEAST_ERROR = 400;

    private final Predicate<String> isApart;
    private final ConcurrentMap<ErrorKey, LongAdder> counts = new ConcurrentHashMap<>();

    /** The bucket and the status of failed requests. */
    record ErrorKey(String bucket, String status) implements Comparable<ErrorKey> {
        private static final Comparator<ErrorKey> ORDER =
                Comparator.comparing(ErrorKey::bucket).thenComparing(ErrorKey::status);

        @Override
        public int compareTo(ErrorKey other) {
            return ORDER.compare(this, other);
        }
    }

    /** @param isApart tells whether a bucket is counted under its name: strangers can name others without end */
    public ErrorCounts(Predicate<String> isApart) {
        this.isApart = isApart;
    }

    @Override
    public void started() {}

    @Override
    public void ended(RequestRecord request) {
        boolean isBroken = request.outcome() == OutcomeCategory.BROKEN;
        if (isBroken || request.status() >= LEAST_ERROR) {
            ErrorKey key = new ErrorKey(bucketOf(request), isBroken ? BROKEN : Integer.toString(request.status()));
            counts.computeIfAbsent(key, absent -> new LongAdder()).increment();
        }
    }

    private String bucketOf(RequestRecord request) {
        Optional<BucketName> named = request.bucket()
                .or(() -> request.request().map(S3Request::target).flatMap(RequestTarget::bucket));
        if (named.isEmpty()) {
            return NO_BUCKET;
        }
        String name = named.get().value();
        return isApart.test(name) ? name : TrafficByName.OTHERS;
    }

    /** Returns what was counted since the start. */
    Map<ErrorKey, Long> counted() {
        Map<ErrorKey, Long> totals = new TreeMap<>();
        counts.forEach((key, adder) -> totals.put(key, adder.sum()));
        return totals;
    }
}
