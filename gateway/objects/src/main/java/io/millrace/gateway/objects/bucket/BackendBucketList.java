package io.millrace.gateway.objects.bucket;

import io.millrace.backend.spi.Backend;
import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.object.BucketInfo;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Mono;

/**
 * The list of buckets of one backend. After a list that took too long the backend counts as hanging, until a list has
 * succeeded: callers then wait briefly for one request that all of them share. Thread-safe.
 */
final class BackendBucketList {
    /** The time that a caller waits for a backend that hangs. */
    static final Duration HANGING_TIMEOUT = Duration.ofMillis(500);

    private static final Logger log = LoggerFactory.getLogger(BackendBucketList.class);

    private final String name;
    private final Backend backend;
    private final Duration timeout;
    private volatile boolean hangs;
    private volatile List<BucketInfo> last = List.of();
    private @Nullable Mono<List<BucketInfo>> pending;

    /**
     * @param name of the backend in the settings
     * @param timeout the longest wait for a list
     */
    BackendBucketList(String name, Backend backend, Duration timeout) {
        this.name = name;
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

    /**
     * Returns the request under way, or a new one. Its end does not depend on its callers, so that a slow list still
     * comes.
     */
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
            hang();
            return late(timeout);
        }));
        return list.doOnNext(found -> {
            last = found;
            hangs = false;
        });
    }

    /** Logs once: every list of buckets waits for it from now on. */
    private void hang() {
        if (!hangs) {
            hangs = true;
            log.warn(
                    "The buckets of backend '{}' were not listed within {} s: until they are, lists wait {} ms for them"
                            + " and have those that it last had, if any",
                    name,
                    timeout.toSeconds(),
                    HANGING_TIMEOUT.toMillis());
        }
    }

    private Mono<List<BucketInfo>> within(Duration wait, Mono<List<BucketInfo>> list) {
        return list.timeout(wait, late(wait));
    }

    private Mono<List<BucketInfo>> late(Duration wait) {
        return Mono.error(
                () -> new BackendException(FailureKind.UNAVAILABLE, "no answer in " + wait).withBackend(name));
    }
}
