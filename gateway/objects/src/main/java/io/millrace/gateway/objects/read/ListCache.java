package io.millrace.gateway.objects.read;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.Capability;
import io.millrace.backend.spi.ListPage;
import io.millrace.backend.spi.ListRequest;
import io.millrace.backend.spi.TierRequest;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.KeyPathNormalizer;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.cache.WriteFence;
import io.millrace.gateway.objects.bucket.BucketView;
import io.millrace.gateway.objects.bucket.FreshnessSettings;
import io.millrace.kit.async.SingleFlight;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;

/**
 * Caches pages of listings in memory, for buckets with a {@code list-ttl}. Concurrent requests for a page share one
 * backend request; a write below a prefix invalidates its listings. A page is the backend's response to Millrace and
 * therefore the same for all principals; authorization happens before this. Thread-safe.
 */
final class ListCache {
    /** The maximum heap memory, estimated: some hundred pages of a thousand keys. */
    private static final long MOST_BYTES = 32 << 20;

    /** The longest delimiter or start position of a cached page; longer ones are unusual and would displace others. */
    private static final int LONGEST_TEXT = 1024;

    private final InstantSource clock;
    private final BackgroundRefresher refresher;
    private final Scheduler timer;
    private final ListEpochs epochs = new ListEpochs();
    private final SingleFlight<RequestKey, Page> requests = new SingleFlight<>();
    private final Cache<Key, Page> pages = Caffeine.newBuilder()
            .maximumWeight(MOST_BYTES)
            .weigher(ListCache::weight)
            .build();

    /** The key of a page. The request has the backend's bucket name and everything that the response depends on. */
    private record Key(String backend, ListRequest request) {}

    /** A cached page; has identity equality. */
    private static final class Page {
        final ListPage page;

        /** When it was requested, in milliseconds since 1970. */
        final long requestedAt;

        final long epoch;

        Page(ListPage page, long requestedAt, long epoch) {
            this.page = page;
            this.requestedAt = requestedAt;
            this.epoch = epoch;
        }
    }

    /** The key of a running request: readers after a write join none that was sent before it. */
    private record RequestKey(Key key, long epoch) {}

    /** The context of one lookup. */
    private record Lookup(
            BucketView bucket,
            Key key,
            RequestCacheControl client,
            long epoch,
            Consumer<ListPage> observer,
            TierRequest tier) {
        FreshnessSettings freshness() {
            return bucket.freshness();
        }

        Mono<ListPage> send() {
            return bucket.backend()
                    .listObjects(key.request())
                    .contextWrite(tier::writeTo)
                    .doOnNext(observer);
        }
    }

    /**
     * @param background the refresher, shared with the refreshes of objects
     * @param timer ends the time of writes without an outcome
     */
    ListCache(InstantSource clock, BackgroundRefresher background, Scheduler timer) {
        this.clock = clock;
        this.refresher = background;
        this.timer = timer;
    }

    /**
     * Returns a page of a listing; empty if it is not cached and the backend must not be asked.
     *
     * @param observer called with each page that comes from the backend
     */
    Mono<ListResult> list(
            BucketView bucket, ListRequest request, RequestCacheControl client, Consumer<ListPage> observer) {
        return Mono.deferContextual(context -> list(bucket, request, client, observer, TierRequest.from(context)));
    }

    private Mono<ListResult> list(
            BucketView bucket,
            ListRequest request,
            RequestCacheControl client,
            Consumer<ListPage> observer,
            TierRequest tier) {
        Key key = new Key(bucket.backendName(), request);
        long epoch = epochs.of(key.backend(), request.bucket(), request.prefix());
        Lookup lookup =
                new Lookup(bucket, key, client, epoch, observer, tier.revalidating(client.requiresRevalidation()));
        boolean cacheable = !bucket.freshness().listTtl().isZero()
                && !client.noStore()
                && !isFolded(bucket, request.prefix())
                && isShort(request);
        if (!cacheable) {
            return client.onlyIfCached()
                    ? Mono.empty()
                    : lookup.send().map(page -> new ListResult(page, Optional.empty()));
        }
        return decide(lookup, cached(lookup));
    }

    /**
     * Invalidates the listings that may show a key. Called after the end of a write and before its response is sent.
     */
    void onWrite(String backend, BucketName bucket, ObjectKey key, boolean acknowledged) {
        epochs.raiseFolders(backend, bucket, key.value());
        if (!acknowledged) {
            epochs.countUnansweredWrites(backend, bucket, key.value(), 1);
            timer.schedule(
                    () -> {
                        epochs.raiseFolders(backend, bucket, key.value());
                        epochs.countUnansweredWrites(backend, bucket, key.value(), -1);
                    },
                    WriteFence.UNANSWERED_WRITE.toMillis(),
                    TimeUnit.MILLISECONDS);
        }
    }

    /** Invalidates all listings of a bucket. */
    void onWrite(String backend, BucketName bucket) {
        epochs.raiseBucket(backend, bucket);
    }

    /** Invalidates all listings. */
    void invalidateAll() {
        epochs.raiseAll();
    }

    private Mono<ListResult> decide(Lookup lookup, @Nullable Page cached) {
        if (cached != null && isFresh(lookup, cached)) {
            return Mono.just(new ListResult(cached.page, Optional.of(CacheStatus.hit(ttl(lookup, cached)))));
        }
        if (lookup.client().onlyIfCached()) {
            return Mono.empty();
        }
        Duration beyond = lookup.freshness().staleWhileRevalidate();
        if (cached != null && !beyond.isZero() && mayServeStale(lookup, cached, beyond)) {
            refresher.refresh(lookup.key().backend(), lookup.key(), fetch(lookup));
            return Mono.just(stale(lookup, cached));
        }
        Duration onError = lookup.freshness().staleIfError();
        // Judged for the end of the wait: what is beyond its time then is waited for.
        boolean mayBeLate = !onError.isZero()
                && cached != null
                && mayServeStale(lookup, cached, onError.minus(BackgroundRefresher.PATIENCE));
        Mono<ListResult> answer = cached != null && mayBeLate
                ? refresher.answerOrStale(
                        lookup.key().backend(), lookup.key(), fetch(lookup), () -> stale(lookup, cached))
                : fetch(lookup);
        return answer.onErrorResume(
                BackendException.class,
                failure -> cached != null && isTrouble(failure) && mayServeStale(lookup, cached, onError)
                        ? Mono.just(stale(lookup, cached))
                        : Mono.error(CacheStatus.miss(false).notStored().addTo(failure)));
    }

    /** Returns the cached page; null if there is none, or a write has invalidated it. */
    private @Nullable Page cached(Lookup lookup) {
        Page page = pages.getIfPresent(lookup.key());
        return page != null && page.epoch == lookup.epoch() && !hasUnansweredWrites(lookup) ? page : null;
    }

    private boolean hasUnansweredWrites(Lookup lookup) {
        ListRequest request = lookup.key().request();
        return epochs.hasUnansweredWrites(lookup.key().backend(), request.bucket(), request.prefix());
    }

    private boolean isFresh(Lookup lookup, Page page) {
        long age = age(page);
        return age >= 0 && age < freshMillis(lookup) && lookup.client().accepts(age);
    }

    /** Returns whether a page may be served this long after its lifetime; never for a request with a maximum age. */
    private boolean mayServeStale(Lookup lookup, Page page, Duration beyond) {
        long age = age(page);
        return lookup.client().maxAge().isEmpty()
                && age >= 0
                && age < lookup.freshness().listTtl().plus(beyond).toMillis();
    }

    private ListResult stale(Lookup lookup, Page page) {
        return new ListResult(page.page, Optional.of(CacheStatus.hit(ttl(lookup, page), Math.max(0, age(page)))));
    }

    private long ttl(Lookup lookup, Page page) {
        return Math.floorDiv(freshMillis(lookup) - age(page), 1000L);
    }

    private static long freshMillis(Lookup lookup) {
        return FreshnessLifetime.millis(
                lookup.freshness().listTtl(), lookup.key().hashCode());
    }

    private long age(Page page) {
        return clock.millis() - page.requestedAt;
    }

    /** Requests a page or joins a running request; a request that requires revalidation sends its own. */
    private Mono<ListResult> fetch(Lookup lookup) {
        return Mono.defer(() -> {
            RequestKey key = new RequestKey(lookup.key(), lookup.epoch());
            if (lookup.client().requiresRevalidation()) {
                requests.forget(key);
            }
            return requests.join(key, () -> request(lookup)).map(joined -> {
                CacheStatus status = CacheStatus.miss(!joined.isLeader());
                Page page = joined.value();
                return new ListResult(
                        page.page, Optional.of(isCacheable(lookup.key(), page) ? status : status.notStored()));
            });
        });
    }

    private boolean isCacheable(Key key, Page page) {
        return pages.getIfPresent(key) == page;
    }

    private Mono<Page> request(Lookup lookup) {
        long requestedAt = clock.millis();
        return lookup.send()
                .switchIfEmpty(
                        Mono.error(() -> new BackendException(FailureKind.INVALID_RESPONSE, "no response to a list")))
                .map(listed -> new Page(listed, requestedAt, lookup.epoch()))
                .doOnNext(page -> keep(lookup, page));
    }

    /** Caches a page. A write that happened meanwhile has raised the epoch, which the next lookup notices. */
    private void keep(Lookup lookup, Page page) {
        if (!hasUnansweredWrites(lookup)) {
            pages.asMap().merge(lookup.key(), page, ListCache::newer);
        }
    }

    /** Returns the newer page: a request that required revalidation may have overtaken an earlier one. */
    private static Page newer(Page earlier, Page now) {
        return earlier.epoch == now.epoch && earlier.requestedAt > now.requestedAt ? earlier : now;
    }

    /**
     * Returns whether the backend may treat the prefix as another one, so that a write of either shows in listings of
     * both.
     */
    static boolean isFolded(BucketView bucket, String prefix) {
        boolean isKey = prefix.length() <= ObjectKey.MAX_BYTES / 4;
        return !prefix.isEmpty()
                && bucket.backend().capabilities().contains(Capability.PATH_ALIASES)
                && (!isKey
                        || isAll(prefix)
                        || KeyPathNormalizer.alias(new ObjectKey(prefix)).isPresent());
    }

    /** Returns whether such a backend treats the prefix as empty. */
    private static boolean isAll(String prefix) {
        return KeyPathNormalizer.normalize(prefix).chars().allMatch(c -> c == '/');
    }

    private static boolean isShort(ListRequest request) {
        return request.delimiter().length() <= LONGEST_TEXT
                && place(request.start()).length() <= LONGEST_TEXT;
    }

    private static String place(ListRequest.PageStart from) {
        if (from instanceof ListRequest.PageStart.StartAfter after) {
            return after.text();
        }
        if (from instanceof ListRequest.PageStart.Marker marker) {
            return marker.text();
        }
        return from instanceof ListRequest.PageStart.ContinuationToken token ? token.token() : "";
    }

    private static boolean isTrouble(BackendException failure) {
        return failure.kind().isTemporary();
    }

    private static int weight(Key key, Page page) {
        return estimatedBytes(Objects.requireNonNull(key).request(), page.page);
    }

    static int estimatedBytes(ListRequest request, ListPage page) {
        long texts = (long) request.prefix().length()
                + request.delimiter().length()
                + place(request.start()).length()
                + page.next().map(next -> place(next).length()).orElse(0);
        long bytes = 500 + 2 * texts;
        for (ListPage.ListedObject entry : page.objects()) {
            bytes += 400 + 2L * entry.key().value().length();
        }
        for (String prefix : page.prefixes()) {
            bytes += 60 + 2L * prefix.length();
        }
        return (int) Math.min(bytes, Integer.MAX_VALUE);
    }
}
