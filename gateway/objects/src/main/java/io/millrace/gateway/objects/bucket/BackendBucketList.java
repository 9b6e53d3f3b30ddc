package io.millrace.gateway.objects.bucket;

import io.millrace.backend.spi.Backend;
import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.object.BucketInfo;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/**
 * The list of buckets of one backend. After a list that took too long the backend counts as hanging, until a list has
 * succeeded: callers then wait briefly for one request that all of them share. Thread-safe.
 */
final class BackendBucketList {
    /** How long a caller waits for a backend that hangs. */
    static final Duration HANGING_TIMEOUT = Duration.ofMillis(500);

    private final Backend backend;
    private final Duration timeout;
    private volatile boolean hangs;
    private volatile List<BucketInfo> last = List.of();
    private @Nullable Mono<List<BucketInfo>> pending;

    /**
     * @param timeout the longest wait for a list
     */
    BackendBucketList(Backend backend, Duration timeout) {
        this.backend = backend;
        this.timeout = timeout;
    }

    /** Requests the list; fails if none comes in time. */
    Mono<List<BucketInfo>> get() {
        return Mono.defer(() -> hangs ? within(HANGING_TIMEOUT, shared()) : request());
    }

    /** Returns the last list that succeeded; empty if none has. */
    List<BucketInfo> last() {
        return last;
    }

    /** Returns the request under way, or a new one. Its end does not depend on its callers, so that a slow list still comes. */
    private synchronized Mono<List<BucketInfo>> shared() {
        Mono<List<BucketInfo>> current = pending;
        if (current == null) {
            current = request().doFinally(end -> forget()).cache();
            pending = current;
        }
        return current;
    }

    private synchronized void forget() {
        pending = null;
    }

    private Mono<List<BucketInfo>> request() {
        Mono<List<BucketInfo>> list = backend.listBuckets().timeout(timeout, Mono.defer(() -> {
            hangs = true;
            return late(timeout);
        }));
        return list.doOnNext(found -> {
            last = found;
            hangs = false;
        });
    }

    private static Mono<List<BucketInfo>> within(Duration wait, Mono<List<BucketInfo>> list) {
        return list.timeout(wait, late(wait));
    }

    private static Mono<List<BucketInfo>> late(Duration wait) {
        return Mono.error(() -> new BackendException(FailureKind.UNAVAILABLE, "no answer in " + wait));
    }
}
