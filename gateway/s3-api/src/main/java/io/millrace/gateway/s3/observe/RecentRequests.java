package io.millrace.gateway.s3.observe;

import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.gateway.error.S3Exception;
import io.millrace.gateway.objects.freshness.CacheResult;
import io.millrace.gateway.objects.monitor.RecentRequest;
import io.millrace.gateway.objects.monitor.RecentRequestSource;
import io.millrace.gateway.s3.protocol.RequestTarget;
import io.millrace.gateway.s3.protocol.S3Request;
import io.millrace.gateway.s3.routing.S3Operation;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * Records the last requests for objects that were not hits, and the last ones that failed, in a ring each. Hits cost one comparison and
 * are not recorded. Takes a few megabytes at most. Thread-safe.
 */
public final class RecentRequests implements RequestRecorder, RecentRequestSource {
    static final int CAPACITY = 2048;
    static final int MOST_OF_ONE = 10;
    static final int MOST_FAILED = 256;
    private static final int LEAST_ERROR = 400;
    private static final int LONGEST_MESSAGE = 500;

    private final InstantSource clock;
    private final AtomicReferenceArray<@Nullable Entry> ring = new AtomicReferenceArray<>(CAPACITY);
    private final AtomicLong next = new AtomicLong();
    private final AtomicReferenceArray<@Nullable FailedRequest> failed = new AtomicReferenceArray<>(MOST_FAILED);
    private final AtomicLong nextFailed = new AtomicLong();

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
                request.error().map(S3Exception::text).map(RecentRequests::cut).orElse(""));
        failed.set((int) (nextFailed.getAndIncrement() % MOST_FAILED), added);
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
            Entry entry = new Entry(target.bucket().get(), target.key().get(), summary(request));
            ring.set((int) (next.getAndIncrement() % CAPACITY), entry);
        }
    }

    private RecentRequest summary(RequestRecord request) {
        return new RecentRequest(
                clock.instant().truncatedTo(ChronoUnit.MILLIS),
                request.requestId(),
                request.operation().map(S3Operation::wireName).orElse(request.method()),
                request.cache().map(CacheResult::wireName),
                request.status(),
                request.outcome().wireName(),
                request.bytesOut(),
                request.totalNanos() / 1000);
    }

    @Override
    public List<RecentRequest> last(BucketName bucket, ObjectKey key) {
        List<RecentRequest> found = new ArrayList<>();
        long newest = next.get() - 1;
        for (long i = newest; i >= 0 && i > newest - CAPACITY && found.size() < MOST_OF_ONE; i--) {
            Optional.ofNullable(ring.get((int) (i % CAPACITY)))
                    .filter(entry -> entry.key().equals(key) && entry.bucket().equals(bucket))
                    .map(Entry::request)
                    .ifPresent(found::add);
        }
        return List.copyOf(found);
    }

    @Override
    public List<FailedRequest> lastFailed() {
        List<FailedRequest> found = new ArrayList<>();
        long newest = nextFailed.get() - 1;
        for (long i = newest; i >= 0 && i > newest - MOST_FAILED; i--) {
            Optional.ofNullable(failed.get((int) (i % MOST_FAILED))).ifPresent(found::add);
        }
        return List.copyOf(found);
    }
}
