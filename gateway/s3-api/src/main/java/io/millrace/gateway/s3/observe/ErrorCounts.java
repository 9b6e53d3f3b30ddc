package io.millrace.gateway.s3.observe;

import io.millrace.backend.spi.object.BucketName;
import io.millrace.gateway.error.S3Exception;
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
 * Counts failed requests by bucket, status and error code, those of buckets without a name in {@link TrafficByName}
 * under one name. Other requests cost a comparison. Thread-safe.
 */
public final class ErrorCounts implements RequestRecorder {
    /** The bucket of requests that name none; not that of a bucket, which has no parentheses. */
    static final String NO_BUCKET = "(none)";

    private static final String BROKEN = "broken";
    private static final int LEAST_ERROR = 400;

    /** Beyond it, codes are not told apart: backends may send any. */
    static final int MOST_KEYS = 4096;

    private final Predicate<String> isApart;
    private final ConcurrentMap<ErrorKey, LongAdder> counts = new ConcurrentHashMap<>();

    /**
     * The bucket, the status and the error code of failed requests.
     *
     * @param code empty without an error response
     */
    record ErrorKey(String bucket, String status, String code) implements Comparable<ErrorKey> {
        private static final Comparator<ErrorKey> ORDER = Comparator.comparing(ErrorKey::bucket)
                .thenComparing(ErrorKey::status)
                .thenComparing(ErrorKey::code);

        ErrorKey withoutCode() {
            return new ErrorKey(bucket, status, "");
        }

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
            ErrorKey exact = new ErrorKey(
                    bucketOf(request), isBroken ? BROKEN : Integer.toString(request.status()), codeOf(request));
            ErrorKey key = counts.size() < MOST_KEYS || counts.containsKey(exact) ? exact : exact.withoutCode();
            counts.computeIfAbsent(key, absent -> new LongAdder()).increment();
        }
    }

    private static String codeOf(RequestRecord request) {
        return request.error().map(S3Exception::code).orElse("");
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
