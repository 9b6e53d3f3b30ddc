package io.millrace.gateway.objects.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.Capability;
import io.millrace.backend.spi.ListPage;
import io.millrace.backend.spi.ListPage.ListedChecksums;
import io.millrace.backend.spi.ListPage.ListedObject;
import io.millrace.backend.spi.ListRequest;
import io.millrace.backend.spi.ListRequest.PageStart;
import io.millrace.backend.spi.TierRequest;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.testkit.PassingBackend;
import io.millrace.backend.testkit.memory.InMemoryBackend;
import io.millrace.cache.WriteFence;
import io.millrace.gateway.objects.bucket.BucketView;
import io.millrace.gateway.objects.bucket.BucketViews;
import io.millrace.gateway.objects.bucket.FreshnessSettings;
import io.millrace.gateway.objects.bucket.FreshnessSettings.Mode;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.test.scheduler.VirtualTimeScheduler;

/** Pages of listings are served from memory while they are fresh, and shared by those who ask at one time. */
class ListCacheTest {
    private static final BucketName BUCKET = new BucketName("bucket");
    private static final RequestCacheControl NONE = RequestCacheControl.NONE;
    private static final RequestCacheControl NO_CACHE = RequestCacheControl.parse(List.of("no-cache"));
    private static final RequestCacheControl ONLY_IF_CACHED = RequestCacheControl.parse(List.of("only-if-cached"));

    private final VirtualTimeScheduler time = VirtualTimeScheduler.create();
    private final AtomicLong seconds = new AtomicLong(1000);
    private final ListCache lists =
            new ListCache(() -> Instant.ofEpochSecond(seconds.get()), new BackgroundRefresher(() -> 0L, time), time);
    private final NumberedPages backend = new NumberedPages();
    private final List<String> observed = new ArrayList<>();
    private final ListRequest request = request("", new PageStart.FirstKey());

    /** Fresh for 90 to 100 seconds, as its hash has it. */
    private final BucketView bucket = bucket(100, 0, 0);

    @Test
    void pageIsAHitUntilItsTimeIsOver() {
        assertThat(list(bucket, request, NONE)).isEqualTo("1 millrace; fwd=miss; stored");
        long ttl = ttl(result(bucket, request, NONE));
        assertThat(ttl).isBetween(90L, 100L);

        seconds.addAndGet(89);
        assertThat(list(bucket, request, NONE)).isEqualTo("1 millrace; hit; ttl=" + (ttl - 89));
        seconds.addAndGet(11);
        assertThat(list(bucket, request, NONE)).isEqualTo("2 millrace; fwd=miss; stored");
        assertThat(observed).as("what came from the backend").containsExactly("1", "2");
    }

    @Test
    void pageOfTheFutureIsStale() {
        list(bucket, request, NONE);
        seconds.addAndGet(-1);

        assertThat(list(bucket, request, NONE)).startsWith("2 ");
    }

    @Test
    void withoutALifetimeNoPageIsCached() {
        BucketView plain = bucket(0, 100, 100);

        assertThat(result(plain, request, NONE)).isEqualTo(new ListResult(page(1), Optional.empty()));
        assertThat(list(plain, request, NONE)).isEqualTo("2");
        assertThat(lists.list(plain, request, ONLY_IF_CACHED, page -> {}).block())
                .isNull();
        assertThat(backend.requests).hasSize(2);
    }

    @Test
    void clientMayForbidThatItIsStored() {
        RequestCacheControl noStore = RequestCacheControl.parse(List.of("no-store"));

        assertThat(list(bucket, request, noStore)).isEqualTo("1");
        assertThat(list(bucket, request, NONE)).isEqualTo("2 millrace; fwd=miss; stored");
    }

    @Test
    void prefixWithAnAliasIsNotCached() {
        backend.capabilities.add(Capability.PATH_ALIASES);
        ListRequest aliased = request("a//b", new PageStart.FirstKey());

        assertThat(list(bucket, aliased, NONE)).isEqualTo("1");
        assertThat(list(bucket, aliased, NONE)).isEqualTo("2");
        assertThat(list(bucket, request("a/b", new PageStart.FirstKey()), NONE)).endsWith("stored");
    }

    @ParameterizedTest
    @CsvSource({"1024, true", "1025, false"})
    void longTextsAreNotCached(int length, boolean cached) {
        String text = "x".repeat(length);
        List<ListRequest> requests = List.of(
                new ListRequest(BUCKET, "", text, new PageStart.FirstKey(), 10, false),
                request("", new PageStart.StartAfter(text)),
                request("", new PageStart.Marker(text)),
                request("", new PageStart.ContinuationToken(text)));

        for (ListRequest each : requests) {
            assertThat(result(bucket, each, NONE).status().isPresent()).isEqualTo(cached);
        }
    }

    @Test
    void pagesOfOtherRequestsAreOthers() {
        assertThat(list(bucket, request, NONE)).startsWith("1 ");
        assertThat(list(bucket, request("a", new PageStart.FirstKey()), NONE)).startsWith("2 ");
        assertThat(list(bucket, request("", new PageStart.Marker("a")), NONE)).startsWith("3 ");
        assertThat(list(bucket, request, NONE)).startsWith("1 ");
    }

    @Test
    void clientMayBoundTheAge() {
        RequestCacheControl young = RequestCacheControl.parse(List.of("max-age=10"));
        list(bucket, request, NONE);

        seconds.addAndGet(9);
        assertThat(list(bucket, request, young)).startsWith("1 millrace; hit");
        seconds.addAndGet(1);
        assertThat(list(bucket, request, young)).startsWith("2 ");
        assertThat(backend.revalidating).containsExactly(false, false);
    }

    @Test
    void revalidationReplacesThePage() {
        list(bucket, request, NONE);

        assertThat(list(bucket, request, NO_CACHE)).startsWith("2 ");
        assertThat(list(bucket, request, NONE)).startsWith("2 millrace; hit");
        assertThat(backend.revalidating).as("gateways behind revalidate too").containsExactly(false, true);
    }

    @Test
    void onlyIfCachedGetsFreshPagesAlone() {
        assertThat(lists.list(bucket, request, ONLY_IF_CACHED, page -> {}).block())
                .isNull();
        assertThat(backend.requests).isEmpty();

        list(bucket, request, NONE);
        assertThat(list(bucket, request, ONLY_IF_CACHED)).startsWith("1 millrace; hit");
        seconds.addAndGet(100);
        assertThat(lists.list(bucket(100, 50, 50), request, ONLY_IF_CACHED, page -> {})
                        .block())
                .isNull();
    }

    @Test
    void concurrentRequestsShareOne() {
        Sinks.One<ListPage> held = backend.hold();
        CompletableFuture<ListResult> first = listing(bucket, request, NONE);
        CompletableFuture<ListResult> second = listing(bucket, request, NONE);
        assertThat(backend.requests).hasSize(1);

        held.tryEmitValue(page(1));

        assertThat(text(first.join())).isEqualTo("1 millrace; fwd=miss; stored");
        assertThat(text(second.join())).isEqualTo("1 millrace; fwd=miss; collapsed; stored");
        assertThat(observed).containsExactly("1");
    }

    /** What was sent before the client asked may be older than it accepts. */
    @Test
    void revalidationJoinsNoneThatWasSentBefore() {
        Sinks.One<ListPage> held = backend.hold();
        CompletableFuture<ListResult> first = listing(bucket, request, NONE);
        seconds.addAndGet(1);

        assertThat(list(bucket, request, NO_CACHE)).isEqualTo("2 millrace; fwd=miss; stored");
        held.tryEmitValue(page(1));

        assertThat(text(first.join())).as("it has been overtaken").isEqualTo("1 millrace; fwd=miss");
        assertThat(list(bucket, request, NONE)).startsWith("2 millrace; hit");
    }

    @Test
    void stalePageIsServedWhileItIsRevalidated() {
        BucketView patient = bucket(100, 50, 0);
        list(patient, request, NONE);
        Sinks.One<ListPage> held = backend.hold();
        seconds.addAndGet(149);

        ListResult stale = result(patient, request, NONE);
        assertThat(text(stale)).startsWith("1 millrace; hit; ttl=-");
        assertThat(stale.status().orElseThrow().ageMillis()).hasValue(149_000);
        assertThat(text(result(patient, request, NONE))).startsWith("1 ");
        assertThat(backend.requests).as("one revalidation").hasSize(2);
        held.tryEmitValue(page(2));

        assertThat(list(patient, request, NONE)).startsWith("2 millrace; hit");
    }

    @ParameterizedTest
    @CsvSource({"150, ''", "120, max-age=60", "-1, ''"})
    void otherStalePagesAreWaitedFor(int age, String client) {
        BucketView patient = bucket(100, 50, 50);
        list(patient, request, NONE);
        seconds.addAndGet(age);
        backend.failure = Optional.of(new BackendException(FailureKind.UNAVAILABLE, "503"));

        BackendReadException failure = catchThrowableOfType(
                BackendReadException.class, () -> result(patient, request, RequestCacheControl.parse(List.of(client))));

        assertThat(failure.status().toHeader()).isEqualTo("millrace; fwd=miss");
        assertThat(failure.kind()).isEqualTo(FailureKind.UNAVAILABLE);
    }

    @Test
    void stalePageIsServedWhileTheBackendFails() {
        BucketView patient = bucket(100, 0, 50);
        list(patient, request, NONE);
        seconds.addAndGet(149);
        backend.failure = Optional.of(new BackendException(FailureKind.UNAVAILABLE, "503"));

        assertThat(list(patient, request, NONE)).startsWith("1 millrace; hit; ttl=-");
        backend.failure = Optional.of(new BackendException(FailureKind.ACCESS_DENIED, "403"));
        assertThat(catchThrowableOfType(BackendReadException.class, () -> result(patient, request, NONE))
                        .kind())
                .as("no trouble of the backend's, but its answer")
                .isEqualTo(FailureKind.ACCESS_DENIED);
        backend.failure = Optional.empty();
        assertThat(list(patient, request, NONE)).isEqualTo("4 millrace; fwd=miss; stored");
    }

    @ParameterizedTest
    @CsvSource({"147, true", "148, false"})
    void stalePageIsServedWhileTheBackendHangs(int age, boolean served) {
        BucketView patient = bucket(100, 0, 50);
        list(patient, request, NONE);
        seconds.addAndGet(age);
        Sinks.One<ListPage> held = backend.hold();

        CompletableFuture<ListResult> late = listing(patient, request, NONE);
        time.advanceTimeBy(BackgroundRefresher.PATIENCE);

        assertThat(late.isDone()).isEqualTo(served);
        held.tryEmitValue(page(2));
        assertThat(text(late.join())).startsWith(served ? "1 millrace; hit; ttl=-" : "2 millrace; fwd=miss");
    }

    @Test
    void writeInvalidatesTheListingsThatShowItsKey() {
        ListRequest folder = request("a/b", new PageStart.FirstKey());
        ListRequest below = request("a/b/c", new PageStart.FirstKey());
        ListRequest sibling = request("b/", new PageStart.FirstKey());
        List.of(request, folder, below, sibling).forEach(each -> list(bucket, each, NONE));

        lists.onWrite("backend", BUCKET, new ObjectKey("a/b"), true);

        assertThat(list(bucket, sibling, NONE)).startsWith("4 millrace; hit");
        assertThat(list(bucket, below, NONE)).as("of another folder").startsWith("3 millrace; hit");
        assertThat(list(bucket, request, NONE)).startsWith("5 ");
        assertThat(list(bucket, folder, NONE)).startsWith("6 ");
    }

    @Test
    void writesOfOtherBucketsAndBackendsLeaveListingsAlone() {
        list(bucket, request, NONE);

        lists.onWrite("backend", new BucketName("other"), new ObjectKey("a"), true);
        lists.onWrite("far", BUCKET, new ObjectKey("a"), true);
        lists.onWrite("backend", new BucketName("other"));

        assertThat(list(bucket, request, NONE)).startsWith("1 millrace; hit");
        lists.onWrite("backend", BUCKET);
        assertThat(list(bucket, request, NONE)).startsWith("2 ");
    }

    @Test
    void allListingsAreInvalidatedTogether() {
        ListRequest folder = request("a/b/", new PageStart.FirstKey());
        list(bucket, request, NONE);
        list(bucket, folder, NONE);

        lists.invalidateAll();

        assertThat(list(bucket, request, NONE)).startsWith("3 ");
        assertThat(list(bucket, folder, NONE)).startsWith("4 ");
    }

    /** It may still happen, after the listing was made. */
    @Test
    void listingIsNotCachedWhileAWriteHasNoOutcome() {
        list(bucket, request, NONE);
        lists.onWrite("backend", BUCKET, new ObjectKey("a/b"), false);

        assertThat(list(bucket, request, NONE)).isEqualTo("2 millrace; fwd=miss");
        assertThat(list(bucket, request("b/", new PageStart.FirstKey()), NONE))
                .isEqualTo("3 millrace; fwd=miss; stored");
        time.advanceTimeBy(WriteFence.UNANSWERED_WRITE.minusMillis(1));
        assertThat(list(bucket, request, NONE)).isEqualTo("4 millrace; fwd=miss");
        time.advanceTimeBy(Duration.ofMillis(1));

        assertThat(list(bucket, request, NONE)).isEqualTo("5 millrace; fwd=miss; stored");
        assertThat(list(bucket, request, NONE)).startsWith("5 millrace; hit");
    }

    @Test
    void lateOutcomeInvalidatesWhatWasListedMeanwhile() {
        lists.onWrite("backend", BUCKET, new ObjectKey("a/b"), false);
        Sinks.One<ListPage> held = backend.hold();
        CompletableFuture<ListResult> meanwhile = listing(bucket, request, NONE);
        time.advanceTimeBy(WriteFence.UNANSWERED_WRITE);
        held.tryEmitValue(page(1));
        meanwhile.join();

        assertThat(list(bucket, request, NONE)).startsWith("2 ");
    }

    @Test
    void responseFromBeforeAWriteIsNotServedAfterIt() {
        Sinks.One<ListPage> held = backend.hold();
        CompletableFuture<ListResult> before = listing(bucket, request, NONE);

        lists.onWrite("backend", BUCKET, new ObjectKey("a"), true);
        assertThat(list(bucket, request, NONE)).startsWith("2 ");
        held.tryEmitValue(page(1));

        assertThat(text(before.join())).startsWith("1 ");
        assertThat(list(bucket, request, NONE)).doesNotStartWith("1 ");
    }

    @Test
    void missingResponseIsAnError() {
        backend.isEmpty = true;

        assertThat(catchThrowableOfType(BackendReadException.class, () -> result(bucket, request, NONE))
                        .kind())
                .isEqualTo(FailureKind.INVALID_RESPONSE);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1000})
    void everyTextOfAPageCounts(int more) {
        String text = "x".repeat(more);
        int least = ListCache.estimatedBytes(request, page(1));

        assertThat(ListCache.estimatedBytes(request(text, new PageStart.FirstKey()), page(1)))
                .isEqualTo(least + 2 * more);
        assertThat(ListCache.estimatedBytes(
                        new ListRequest(BUCKET, "", text, new PageStart.FirstKey(), 10, false), page(1)))
                .isEqualTo(least + 2 * more);
        assertThat(ListCache.estimatedBytes(request("", new PageStart.Marker(text)), page(1)))
                .isEqualTo(least + 2 * more);
        assertThat(ListCache.estimatedBytes(
                        request, new ListPage(List.of(), List.of("1"), Optional.of(new PageStart.StartAfter(text)))))
                .isEqualTo(least + 2 * more);
        assertThat(ListCache.estimatedBytes(request, new ListPage(List.of(), List.of("1", text), Optional.empty())))
                .isEqualTo(least + 60 + 2 * more);
        assertThat(ListCache.estimatedBytes(
                        request, new ListPage(List.of(entry("k" + text)), List.of("1"), Optional.empty())))
                .isEqualTo(least + 402 + 2 * more);
    }

    private static ListedObject entry(String key) {
        return new ListedObject(
                new ObjectKey(key), 1, Optional.empty(), Instant.EPOCH, "", ListedChecksums.NONE, Optional.empty());
    }

    private static ListRequest request(String prefix, PageStart start) {
        return new ListRequest(BUCKET, prefix, "", start, 10, false);
    }

    private static ListPage page(int number) {
        return new ListPage(List.of(), List.of(Integer.toString(number)), Optional.empty());
    }

    private BucketView bucket(int listTtl, int staleWhileRevalidate, int staleIfError) {
        FreshnessSettings freshness = new FreshnessSettings(
                Mode.TTL,
                Duration.ofSeconds(5),
                Duration.ofSeconds(5),
                Duration.ofSeconds(listTtl),
                Duration.ofSeconds(staleWhileRevalidate),
                Duration.ofSeconds(staleIfError));
        return BucketViews.of("bucket", backend, BUCKET.value(), "", List.of(), freshness);
    }

    private String list(BucketView view, ListRequest wanted, RequestCacheControl client) {
        return text(result(view, wanted, client));
    }

    private ListResult result(BucketView view, ListRequest wanted, RequestCacheControl client) {
        return query(view, wanted, client).blockOptional().orElseThrow();
    }

    private CompletableFuture<ListResult> listing(BucketView view, ListRequest wanted, RequestCacheControl client) {
        return query(view, wanted, client).toFuture();
    }

    private Mono<ListResult> query(BucketView view, ListRequest wanted, RequestCacheControl client) {
        return lists.list(
                view, wanted, client, page -> observed.add(page.prefixes().get(0)));
    }

    /** Returns the number of the page and its status. */
    private static String text(ListResult result) {
        return result.page().prefixes().get(0)
                + result.status().map(status -> " " + status.toHeader()).orElse("");
    }

    private static long ttl(ListResult result) {
        return result.status().orElseThrow().ttl().orElseThrow();
    }

    /** A backend whose pages have the numbers of their requests. */
    private static final class NumberedPages extends PassingBackend {
        final List<ListRequest> requests = new ArrayList<>();
        final List<Boolean> revalidating = new ArrayList<>();
        final Set<Capability> capabilities = EnumSet.of(Capability.LIST);
        Optional<BackendException> failure = Optional.empty();
        boolean isEmpty;
        private Optional<Sinks.One<ListPage>> next = Optional.empty();

        NumberedPages() {
            super(new InMemoryBackend());
        }

        /** Returns what the next request waits for. */
        Sinks.One<ListPage> hold() {
            Sinks.One<ListPage> held = Sinks.one();
            next = Optional.of(held);
            return held;
        }

        @Override
        public Set<Capability> capabilities() {
            return capabilities;
        }

        @Override
        public Mono<ListPage> listObjects(ListRequest request) {
            return Mono.deferContextual(context -> {
                requests.add(request);
                revalidating.add(TierRequest.from(context).revalidate());
                Mono<ListPage> response = next.map(Sinks.One::asMono)
                        .orElseGet(() -> isEmpty ? Mono.empty() : Mono.just(page(requests.size())));
                next = Optional.empty();
                return failure.<Mono<ListPage>>map(Mono::error).orElse(response);
            });
        }
    }
}
