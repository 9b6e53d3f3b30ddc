package io.millrace.gateway.s3.observe;

import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.gateway.error.S3Exception;
import io.millrace.gateway.objects.monitor.RecentRequest;
import io.millrace.gateway.objects.monitor.RecentRequestSource;
import io.millrace.gateway.objects.read.CacheResult;
import io.millrace.gateway.s3.protocol.RequestOperation;
import io.millrace.gateway.s3.protocol.RequestTarget;
import io.millrace.gateway.s3.protocol.S3Request;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Records the last requests for objects that were not hits, and the last ones that failed. Hits cost one comparison and
 * are not recorded. Failures of the gateway or a backend are apart from those that clients make, which can be any
 * number. Takes a few megabytes at most. Thread-safe.
 */
public final class RecentRequests implements RequestRecorder, RecentRequestSource {
    static final int CAPACITY = 2048;
    private static final int LONGEST_METHOD = 32;
    static final int MOST_OF_ONE = 10;
    static final int MOST_FAILED = 128;
    private static final int LEAST_ERROR = 400;
    private static final int NOT_IMPLEMENTED = 501;
    private static final int LONGEST_MESSAGE = 500;

    private final InstantSource clock;
    private final RecentRing<Entry> objects = new RecentRing<>(CAPACITY);
    private final RecentRing<FailedRequest> failed = new RecentRing<>(MOST_FAILED);
    private final RecentRing<FailedRequest> refused = new RecentRing<>(MOST_FAILED);

    private record Entry(BucketName bucket, ObjectKey key, RecentRequest request) {}

    public RecentRequests(InstantSource clock) {
        this.clock = clock;
    }

    @Override
    public void started() {}

    @Override
    public void ended(RequestRecord request) {
        if (request.fastPath() || isServedHit(request)) {
            return;
        }
        if (request.status() >= LEAST_ERROR || request.outcome() == OutcomeCategory.BROKEN) {
            addFailed(request);
        }
        request.request().map(S3Request::target).ifPresent(target -> add(target, request));
    }

    private void addFailed(RequestRecord request) {
        Optional<RequestTarget> target = request.request().map(S3Request::target);
        FailedRequest added = new FailedRequest(
                summary(request),
                request.principal(),
                request.peer(),
                target.flatMap(RequestTarget::bucket).map(BucketName::value),
                target.flatMap(RequestTarget::key).map(ObjectKey::value),
                request.error().map(S3Exception::code).orElse(""),
                request.error().map(S3Exception::text).map(RecentRequests::cut).orElse(""),
                request.error()
                        .map(S3Exception::reason)
                        .map(RecentRequests::cut)
                        .orElse(""));
        (isOfTheService(request) ? failed : refused).add(added);
    }

    /**
     * Returns whether the gateway or a backend failed. What is not implemented is asked for by clients, again and
     * again.
     */
    private static boolean isOfTheService(RequestRecord request) {
        return request.outcome() == OutcomeCategory.BROKEN
                || (request.outcome() == OutcomeCategory.SERVER_ERROR && request.status() != NOT_IMPLEMENTED);
    }

    /** Messages of backends are passed on, however long they are. */
    private static String cut(String message) {
        return message.length() > LONGEST_MESSAGE ? message.substring(0, LONGEST_MESSAGE) : message;
    }

    private static boolean isServedHit(RequestRecord request) {
        return request.outcome() == OutcomeCategory.OK
                && request.cache().filter(CacheResult.HIT::equals).isPresent();
    }

    private void add(RequestTarget target, RequestRecord request) {
        if (target.bucket().isPresent() && target.key().isPresent()) {
            objects.add(new Entry(target.bucket().get(), target.key().get(), summary(request)));
        }
    }

    private RecentRequest summary(RequestRecord request) {
        return new RecentRequest(
                clock.instant().truncatedTo(ChronoUnit.MILLIS),
                request.requestId(),
                request.operation().map(RequestOperation::wireName).orElseGet(() -> shortened(request.method())),
                request.cache().map(CacheResult::wireName),
                request.status(),
                request.outcome().wireName(),
                request.bytesOut(),
                request.totalNanos() / 1000);
    }

    /** The method of a request that was not understood is any token of any length, and is kept for long. */
    private static String shortened(String method) {
        return method.length() <= LONGEST_METHOD ? method : method.substring(0, LONGEST_METHOD) + "...";
    }

    @Override
    public List<RecentRequest> last(BucketName bucket, ObjectKey key) {
        return objects.newestFirst().stream()
                .filter(entry -> entry.key().equals(key) && entry.bucket().equals(bucket))
                .limit(MOST_OF_ONE)
                .map(Entry::request)
                .toList();
    }

    @Override
    public List<FailedRequest> lastFailed() {
        return Stream.concat(failed.newestFirst().stream(), refused.newestFirst().stream())
                .sorted(Comparator.comparing(
                                (FailedRequest one) -> one.request().at())
                        .reversed())
                .toList();
    }
}
