package io.millrace.gateway.objects.listing;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.Capability;
import io.millrace.backend.spi.ListPage;
import io.millrace.backend.spi.ListRequest;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.KeyPathNormalizer;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.cache.WriteFence;
import io.millrace.gateway.objects.bucket.BucketView;
import io.millrace.gateway.objects.bucket.FreshnessSettings;
import io.millrace.gateway.objects.freshness.BackgroundRefresher;
import io.millrace.gateway.objects.freshness.CacheStatus;
import io.millrace.gateway.objects.freshness.FreshnessLifetime;
import io.millrace.gateway.objects.freshness.RequestCacheControl;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.core.scheduler.Schedulers;

/**
 * Pages of lists, in memory, of buckets that want that: asked for once by all who want the same page at the same time, and old as
 * soon as something is written below. A page is the backend's answer to Millrace, and so the same for all who may list; whether
 * somebody may was decided before this is asked. Safe for use by any number of threads.
 */
public final class ListCache {
    /** Of the heap, as far as that can be told: some hundred pages of a thousand keys. */
    private static final long MOST_BYTES = 32 << 20;

    /** Of a delimiter or a place: what nobody lists by is not to take the room of others. */
    private static final int LONGEST_TEXT = 1024;

    private final InstantSource clock;
    private final BackgroundRefresher refresher;
    private final ListEpochs generations = new ListEpochs();
    private final ConcurrentMap<Key, PendingList> underWay = new ConcurrentHashMap<>();
    private final Cache<Key, Page> pages = Caffeine.newBuilder()
            .maximumWeight(MOST_BYTES)
            .weigher(ListCache::weight)
            .build();

    /** Which page. The request has the bucket by the backend's name, and everything that decides about the answer. */
    private record Key(String backend, ListRequest request) {}

    /** What came. Two of the same content are two. */
    private static final class Page {
        final ListPage page;

        /** Before its answer came, in milliseconds since 1970. */
        final long askedAt;

        final long generation;

        Page(ListPage page, long askedAt, long generation) {
            this.page = page;
            this.askedAt = askedAt;
            this.generation = generation;
        }
    }

    /** A question under way. */
    private static final class PendingList {
        final long generation;
        final Sinks.One<Page> answer = Sinks.one();

        PendingList(long generation) {
            this.generation = generation;
        }
    }

    /** What it takes to tell a page. */
    private record Lookup(
            BucketView bucket, Key key, RequestCacheControl client, long generation, Consumer<ListPage> asked) {
        FreshnessSettings freshness() {
            return bucket.freshness();
        }

        Mono<ListPage> send() {
            return bucket.backend().listObjects(key.request()).doOnNext(asked);
        }
    }

    /** @param behind what nobody waits for, shared with the questions for objects */
    public ListCache(InstantSource clock, BackgroundRefresher behind) {
        this.clock = clock;
        this.refresher = behind;
    }

    /**
     * A page of a list; empty if it is not known and the backend must not be asked.
     *
     * @param asked told of each page that comes from the backend
     */
    public Mono<ListResult> list(
            BucketView bucket, ListRequest request, RequestCacheControl client, Consumer<ListPage> asked) {
        Key key = new Key(bucket.backendName(), request);
        long generation = generations.of(key.backend(), request.bucket(), request.prefix());
        Lookup question = new Lookup(bucket, key, client, generation, asked);
        boolean kept = !bucket.freshness().listTtl().isZero()
                && !client.noStore()
                && !isFolded(bucket, request.prefix())
                && isShort(request);
        if (!kept) {
            return client.onlyIfCached()
                    ? Mono.empty()
                    : question.send().map(page -> new ListResult(page, Optional.empty()));
        }
        return decide(question, cached(question));
    }

    /** An object was written. Called behind the end of the write, before that is told. */
    public void onWrite(String backend, BucketName bucket, ObjectKey key, boolean answered) {
        generations.raiseFolders(backend, bucket, key.value());
        if (!answered) {
            generations.doubtFolders(backend, bucket, key.value(), 1);
            Schedulers.parallel()
                    .schedule(
                            () -> {
                                generations.raiseFolders(backend, bucket, key.value());
                                generations.doubtFolders(backend, bucket, key.value(), -1);
                            },
                            WriteFence.UNANSWERED_WRITE.toMillis(),
                            TimeUnit.MILLISECONDS);
        }
    }

    /** The same of anything in a bucket, or of the bucket itself. */
    public void onWrite(String backend, BucketName bucket) {
        generations.raiseBucket(backend, bucket);
    }

    private Mono<ListResult> decide(Lookup question, @Nullable Page known) {
        if (known != null && isFresh(question, known)) {
            return Mono.just(new ListResult(known.page, Optional.of(CacheStatus.hit(ttl(question, known)))));
        }
        if (question.client().onlyIfCached()) {
            return Mono.empty();
        }
        Duration beyond = question.freshness().staleWhileRevalidate();
        if (known != null && !beyond.isZero() && mayBeOld(question, known, beyond)) {
            refresher.refresh(question.key().backend(), question.key(), fetch(question));
            return Mono.just(stale(question, known));
        }
        return fetch(question)
                .onErrorResume(
                        BackendException.class,
                        failure -> known != null
                                        && isTrouble(failure)
                                        && mayBeOld(
                                                question,
                                                known,
                                                question.freshness().staleIfError())
                                ? Mono.just(stale(question, known))
                                : Mono.error(CacheStatus.miss(false).notStored().on(failure)));
    }

    /** What is kept of a page; null if nothing is, or something was written since it was asked for. */
    private @Nullable Page cached(Lookup question) {
        Page page = pages.getIfPresent(question.key());
        return page != null && page.generation == question.generation() && !isInDoubt(question) ? page : null;
    }

    private boolean isInDoubt(Lookup question) {
        ListRequest request = question.key().request();
        return generations.isInDoubt(question.key().backend(), request.bucket(), request.prefix());
    }

    private boolean isFresh(Lookup question, Page page) {
        long age = age(page);
        return age >= 0 && age < freshMillis(question) && question.client().accepts(age);
    }

    /** Who tells how old it may be wants none that is older than its rules want. */
    private boolean mayBeOld(Lookup question, Page page, Duration beyond) {
        long age = age(page);
        return question.client().maxAge().isEmpty()
                && age >= 0
                && age < question.freshness().listTtl().plus(beyond).toMillis();
    }

    private ListResult stale(Lookup question, Page page) {
        return new ListResult(page.page, Optional.of(CacheStatus.stale(ttl(question, page), age(page) / 1000)));
    }

    private long ttl(Lookup question, Page page) {
        return Math.floorDiv(freshMillis(question) - age(page), 1000L);
    }

    private static long freshMillis(Lookup question) {
        return FreshnessLifetime.millis(
                question.freshness().listTtl(), question.key().hashCode());
    }

    private long age(Page page) {
        return clock.millis() - page.askedAt;
    }

    /** Asks, or waits for the answer to another who asks; whoever wants news asks himself. */
    private Mono<ListResult> fetch(Lookup question) {
        return Mono.defer(() -> {
            PendingList mine = new PendingList(question.generation());
            PendingList joined = underWay.compute(
                    question.key(),
                    (key, there) -> there != null
                                    && there.generation == mine.generation
                                    && !question.client().requiresRevalidation()
                            ? there
                            : mine);
            if (joined == mine) {
                send(question, mine);
            }
            CacheStatus status = CacheStatus.miss(joined != mine);
            return joined.answer
                    .asMono()
                    .map(page -> new ListResult(
                            page.page, Optional.of(isKept(question.key(), page) ? status : status.notStored())));
        });
    }

    private boolean isKept(Key key, Page page) {
        return pages.getIfPresent(key) == page;
    }

    /** The question goes on if whoever asked leaves. */
    private void send(Lookup question, PendingList round) {
        long askedAt = clock.millis();
        question.send()
                .switchIfEmpty(
                        Mono.error(() -> new BackendException(FailureKind.INVALID_RESPONSE, "no answer to a list")))
                .map(told -> new Page(told, askedAt, round.generation))
                .subscribe(
                        page -> {
                            // What was written meanwhile makes it old, which is seen when it is looked up.
                            if (!isInDoubt(question)) {
                                pages.asMap().merge(question.key(), page, ListCache::newer);
                            }
                            underWay.remove(question.key(), round);
                            round.answer.tryEmitValue(page);
                        },
                        failure -> {
                            underWay.remove(question.key(), round);
                            round.answer.tryEmitError(failure);
                        });
    }

    /** Who wants news does not wait for an earlier answer, which then may come behind. */
    private static Page newer(Page there, Page now) {
        return there.generation == now.generation && there.askedAt > now.askedAt ? there : now;
    }

    /** Where a server takes one text for another, a write of either is seen in lists of both. */
    static boolean isFolded(BucketView bucket, String prefix) {
        boolean isKey = prefix.length() <= ObjectKey.MAX_BYTES / 4;
        return !prefix.isEmpty()
                && bucket.backend().capabilities().contains(Capability.FORWARD)
                && (!isKey
                        || isAll(prefix)
                        || KeyPathNormalizer.alias(new ObjectKey(prefix)).isPresent());
    }

    /** Whether such a server takes a prefix for none at all. */
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
        return failure.kind() == FailureKind.UNAVAILABLE || failure.kind() == FailureKind.THROTTLED;
    }

    private static int weight(Key key, Page page) {
        ListRequest request = Objects.requireNonNull(key).request();
        long texts = (long) request.prefix().length()
                + request.delimiter().length()
                + place(request.start()).length()
                + page.page.next().map(next -> place(next).length()).orElse(0);
        long bytes = 500 + 2 * texts;
        for (ListPage.ListedObject entry : page.page.objects()) {
            bytes += 400 + 2L * entry.key().value().length();
        }
        for (String prefix : page.page.prefixes()) {
            bytes += 60 + 2L * prefix.length();
        }
        return (int) Math.min(bytes, Integer.MAX_VALUE);
    }
}
