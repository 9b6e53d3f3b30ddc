package io.millrace.gateway.objects.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.Capability;
import io.millrace.backend.spi.HeadResult;
import io.millrace.backend.spi.ListRequest;
import io.millrace.backend.spi.ListRequest.PageStart;
import io.millrace.backend.spi.ObjectContent;
import io.millrace.backend.spi.ReadRequest;
import io.millrace.backend.spi.ReadRequest.ByteSelection;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.ByteRange;
import io.millrace.backend.spi.object.ETag;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.backend.spi.object.ObjectVersion;
import io.millrace.backend.spi.object.RangeSpec;
import io.millrace.backend.spi.object.ReadConditions;
import io.millrace.backend.testkit.BufferLeakExtension;
import io.millrace.backend.testkit.PassingBackend;
import io.millrace.backend.testkit.Polling;
import io.millrace.backend.testkit.data.UploadBodies;
import io.millrace.cache.BlockCache;
import io.millrace.cache.CacheReader;
import io.millrace.cache.ObjectSource;
import io.millrace.cache.fill.SourceTraits;
import io.millrace.cache.metadata.ObjectId;
import io.millrace.cache.metadata.ObjectMetadata;
import io.millrace.cache.metadata.ObjectPrefix;
import io.millrace.config.DataSize;
import io.millrace.gateway.objects.bucket.BucketView;
import io.millrace.gateway.objects.bucket.BucketViews;
import io.millrace.gateway.objects.bucket.CacheRule;
import io.millrace.gateway.objects.bucket.FreshnessSettings;
import io.millrace.gateway.objects.bucket.FreshnessSettings.Mode;
import io.millrace.gateway.objects.bucket.KeyPattern;
import io.millrace.gateway.objects.read.CacheStatus.Forward;
import io.millrace.gateway.objects.read.ReadPreview.Next;
import io.millrace.gateway.objects.testkit.CacheFixture;
import io.netty.buffer.ByteBuf;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/** Where a read gets an object from, and what it asks the backend for; without clients. */
@ExtendWith(BufferLeakExtension.class)
class ObjectLookupTest {
    private static final String KEY = "k/5000";
    private static final ByteRange ALL = new ByteRange(0, 4999);
    private static final RequestCacheControl NONE = RequestCacheControl.NONE;
    private static final RequestCacheControl ONLY_IF_CACHED = RequestCacheControl.parse(List.of("only-if-cached"));
    private static final Duration TIMEOUT = Duration.ofSeconds(60);

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path folder;

    private final ComputedBackend computed = new ComputedBackend();
    private final SwitchedBackend backend = new SwitchedBackend(computed);
    private final AtomicLong ahead = new AtomicLong();
    private final Instant begin = Instant.now();

    /** Stands still by itself: what takes long here is no older for that. */
    private final InstantSource clock = () -> begin.plusMillis(ahead.get());

    private final BucketView ttl = view(backend, freshness(Duration.ZERO, Duration.ZERO));

    @SuppressWarnings("NullAway.Init")
    private BlockCache cache;

    @SuppressWarnings("NullAway.Init")
    private CurrentObjectFinder finder;

    @BeforeEach
    void start() throws IOException {
        cache = CacheFixture.in(folder, "1GiB", clock);
        finder = new CurrentObjectFinder(Optional.of(cache), ObjectSourceFactory.BACKENDS, clock);
    }

    @AfterEach
    void stop() {
        cache.close();
    }

    @Test
    void missIsFetchedAndThenAHit() {
        CurrentObject.Cached miss = cached(find(ttl, whole(KEY), NONE, true));

        assertThat(miss.status()).isEqualTo(CacheStatus.miss(false));
        assertThat(miss.status(ALL)).isEqualTo(CacheStatus.miss(false));
        assertThat(miss.isForwarded()).isTrue();
        assertThat(miss.isOpening()).isTrue();
        assertThat(miss.readFromMemory(ALL))
                .as("the fill waits for this reader")
                .isNull();
        assertThat(finder.explain(ttl, whole(KEY), miss)).endsWith("decision=miss; age=0; from=backend");
        assertThat(drained(miss)).isEqualTo(computed.bytes(KEY, 0, 5000));

        ahead.set(2_500);
        CurrentObject.Cached hit = cached(find(ttl, whole(KEY), NONE, true));

        long fresh = FreshnessDecision.freshMillis(ttl.freshness(), hit.metadata());
        assertThat(hit.status()).isEqualTo(CacheStatus.hit(Math.floorDiv(fresh - 2_500, 1000L), 2_500));
        assertThat(hit.status(ALL)).isEqualTo(hit.status());
        assertThat(hit.isForwarded()).isFalse();
        assertThat(hit.isOpening()).isFalse();
        assertThat(hit.part()).isEmpty();
        assertThat(hit.isFullyResident(ALL).block()).isTrue();
        assertThat(finder.explain(ttl, whole(KEY), hit)).isEqualTo("rule=ttl 60s; decision=hit; age=2; from=cache");
        assertThat(drained(hit)).isEqualTo(computed.bytes(KEY, 0, 5000));
        assertThat(computed.asked()).containsExactly("GET " + KEY);
    }

    @Test
    void headAsksForMetadataAlone() {
        CurrentObject.Cached miss = cached(find(ttl, whole(KEY), NONE, false));
        assertThat(miss.status()).isEqualTo(CacheStatus.miss(false));
        assertThat(miss.isForwarded()).isTrue();
        assertThat(miss.isOpening()).isFalse();

        CurrentObject.Cached hit = cached(find(ttl, whole(KEY), NONE, false));

        assertThat(hit.status().forwarded()).isEqualTo(Forward.NONE);
        assertThat(hit.status(ALL)).as("its bytes are not here").isEqualTo(CacheStatus.miss(false));
        assertThat(hit.isFullyResident(ALL).block()).isFalse();
        assertThat(finder.explain(ttl, whole(KEY), hit)).endsWith("decision=partial; age=0; from=backend");
        assertThat(computed.asked()).containsExactly("HEAD " + KEY);
    }

    @Test
    void conditionsAreDecidedBeforeBytesAreFetched() {
        ReadConditions unlessKnown = new ReadConditions(
                Optional.empty(), Optional.of(List.of(ETag.strong("v0"))), Optional.empty(), Optional.empty());

        assertThat(cached(find(ttl, whole(KEY).withConditions(unlessKnown), NONE, true))
                        .isOpening())
                .isFalse();

        assertThat(computed.asked()).containsExactly("HEAD " + KEY);
    }

    @Test
    void onlyIfCachedAsksForNothing() {
        assertThat(find(ttl, whole(KEY), ONLY_IF_CACHED, true)).isInstanceOf(CurrentObject.NotCached.class);
        assertThat(computed.asked()).isEmpty();
        find(ttl, whole(KEY), NONE, false);

        assertThat(find(ttl, whole(KEY), ONLY_IF_CACHED, false)).isInstanceOf(CurrentObject.Cached.class);
        ahead.set(61_000);
        assertThat(find(ttl, whole(KEY), ONLY_IF_CACHED, false)).isInstanceOf(CurrentObject.NotCached.class);
        assertThat(computed.asked()).hasSize(1);
    }

    @Test
    void withoutACacheAndByARuleReadsBypass() {
        CurrentObjectFinder none = new CurrentObjectFinder(Optional.empty(), ObjectSourceFactory.BACKENDS, clock);
        CacheRule never = new CacheRule(KeyPattern.parse("k/*"), false, Optional.empty(), Optional.empty());
        BucketView excluded = view(backend, BucketViews.FRESHNESS, never);
        CurrentObject bypass = new CurrentObject.Bypass(Optional.empty());

        assertThat(none.isCaching()).isFalse();
        assertThat(finder.isCaching()).isTrue();
        assertThat(none.find(ttl, whole(KEY), ONLY_IF_CACHED, true).block()).isEqualTo(bypass);
        assertThat(find(excluded, whole(KEY), NONE, true)).isEqualTo(bypass);
        assertThat(find(excluded, whole(KEY), ONLY_IF_CACHED, true)).isInstanceOf(CurrentObject.NotCached.class);
        assertThat(finder.explain(excluded, whole(KEY), bypass))
                .isEqualTo("rule=ttl 60s; decision=bypass; from=backend");
        assertThat(preview(excluded, KEY).next()).isEqualTo(Next.BYPASS);
        assertThat(computed.asked()).isEmpty();
    }

    @Test
    void bytesOfTooLargeObjectsBypass() {
        CacheRule small =
                new CacheRule(KeyPattern.parse("*"), true, Optional.empty(), Optional.of(DataSize.parse("4KiB")));
        BucketView limited = view(backend, BucketViews.FRESHNESS, small);

        ObjectContent content = ((CurrentObject.Bypass) find(limited, whole(KEY), NONE, true))
                .content()
                .orElseThrow();
        assertThat(bytes(content.body())).isEqualTo(computed.bytes(KEY, 0, 5000));
        CurrentObject.Cached head = cached(find(limited, whole(KEY), NONE, false));

        assertThat(head.metadata().size()).isEqualTo(5000);
        assertThat(find(limited, whole(KEY), NONE, true)).isEqualTo(new CurrentObject.Bypass(Optional.empty()));
        assertThat(find(limited, whole(KEY), ONLY_IF_CACHED, true)).isInstanceOf(CurrentObject.NotCached.class);
        assertThat(find(limited, whole(KEY), ONLY_IF_CACHED, false)).isInstanceOf(CurrentObject.Cached.class);
        ahead.set(1_000);
        ReadPreview preview = preview(limited, KEY);
        assertThat(preview.next()).isEqualTo(Next.BYPASS);
        assertThat(preview.metadata()).contains(head.metadata());
        assertThat(preview.ageMillis()).isEqualTo(1_000);
        assertThat(computed.asked()).containsExactly("GET " + KEY, "HEAD " + KEY);
    }

    @Test
    void objectsWithoutAStrongValidatorBypass() {
        computed.weaken();
        ReadRequest range = whole(KEY).withSelection(new ByteSelection.RangeSelection(new RangeSpec.Bounded(10, 19)));

        assertThat(find(ttl, whole(KEY), NONE, false)).isEqualTo(new CurrentObject.Bypass(Optional.empty()));
        ObjectContent all = ((CurrentObject.Bypass) find(ttl, whole(KEY), NONE, true))
                .content()
                .orElseThrow();
        assertThat(bytes(all.body())).isEqualTo(computed.bytes(KEY, 0, 5000));
        ObjectContent part =
                ((CurrentObject.Bypass) find(ttl, range, NONE, true)).content().orElseThrow();
        assertThat(part.range()).contains(new ByteRange(10, 19));
        assertThat(bytes(part.body())).isEqualTo(computed.bytes(KEY, 10, 10));
    }

    @Test
    void strictReadsAskEachTime() {
        BucketView strict =
                view(backend, BucketViews.freshness(Mode.STRICT, Duration.ofSeconds(60), Duration.ZERO, Duration.ZERO));
        drained(cached(find(strict, whole(KEY), NONE, true)));
        assertThat(computed.asked()).as("its own request").containsExactly("GET " + KEY);

        CurrentObject.Cached again = cached(find(strict, whole(KEY), NONE, true));
        CurrentObject.Cached demanded =
                cached(find(ttl, whole(KEY), RequestCacheControl.parse(List.of("no-cache")), true));

        assertThat(List.of(again, demanded))
                .allMatch(current -> current.status().equals(CacheStatus.ofForwarded(Forward.STALE)))
                .allMatch(CurrentObject.Cached::isForwarded);
        assertThat(computed.asked()).containsExactly("GET " + KEY, "HEAD " + KEY, "HEAD " + KEY);
        assertThat(finder.explain(strict, whole(KEY), again))
                .isEqualTo("rule=strict; decision=revalidated; age=0; from=cache");
    }

    /** One that is under way may bring what is older than the client accepts. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void readWithAMaximumAgeJoinsNoRequestToAnotherGateway(boolean bodyWanted) {
        Sinks.Empty<Void> gate = Sinks.empty();
        List<String> asked = new CopyOnWriteArrayList<>();
        CurrentObjectFinder relaying = new CurrentObjectFinder(
                Optional.of(cache),
                (bucket, id, tier) -> new HeldPeer(
                        ObjectSourceFactory.BACKENDS.create(bucket, id), tier.revalidate(), gate.asMono(), asked),
                clock);

        CompletableFuture<CurrentObject> any =
                relaying.find(ttl, whole(KEY), NONE, bodyWanted).toFuture();
        Polling.until("it is asked for", () -> asked.size() == 1);
        CompletableFuture<CurrentObject> young = relaying.find(
                        ttl, whole(KEY), RequestCacheControl.parse(List.of("max-age=5")), bodyWanted)
                .toFuture();
        gate.tryEmitEmpty();

        assertThat(cached(young.join()).metadata().size()).isEqualTo(5000);
        assertThat(cached(any.join()).isOpening()).isEqualTo(bodyWanted);
        assertThat(asked).containsExactly(bodyWanted ? "open any" : "head any", "head now");
        if (bodyWanted) {
            Flux<ByteBuf> body = cached(any.join()).readBuffers(ALL);
            assertThat(bytes(body)).isEqualTo(computed.bytes(KEY, 0, 5000));
        }
    }

    /** Another gateway, which responds when its gate is open. */
    private record HeldPeer(ObjectSource there, boolean revalidated, Mono<Void> gate, List<String> asked)
            implements ObjectSource {
        @Override
        public SourceTraits traits() {
            return SourceTraits.PEER;
        }

        @Override
        public Mono<ObjectContent> open(ByteSelection selection) {
            return Mono.defer(() -> after("open").then(there.open(selection)));
        }

        @Override
        public Mono<HeadResult> head() {
            return Mono.defer(() -> after("head").then(there.head()));
        }

        private Mono<Void> after(String request) {
            asked.add(request + (revalidated ? " now" : " any"));
            return gate;
        }

        @Override
        public Flux<ByteBuf> fetch(ObjectVersion version, ByteRange range) {
            return there.fetch(version, range);
        }
    }

    @Test
    void immutableObjectsAreNotAskedForAgain() {
        BucketView immutable = view(
                backend, BucketViews.freshness(Mode.IMMUTABLE, Duration.ofSeconds(60), Duration.ZERO, Duration.ZERO));
        find(immutable, whole(KEY), NONE, false);
        ahead.set(100_000);

        CurrentObject.Cached known = cached(find(immutable, whole(KEY), NONE, false));

        assertThat(known.status()).isEqualTo(CacheStatus.hitForEver(100_000));
        assertThat(computed.asked()).hasSize(1);
    }

    @Test
    void staleObjectsAreRevalidated() {
        find(ttl, whole(KEY), NONE, false);
        ahead.set(61_000);

        CurrentObject.Cached current = cached(find(ttl, whole(KEY), NONE, false));

        assertThat(current.status()).isEqualTo(CacheStatus.ofForwarded(Forward.STALE));
        assertThat(current.isForwarded()).isTrue();
        assertThat(computed.asked()).containsExactly("HEAD " + KEY, "HEAD " + KEY);
    }

    @Test
    void revalidationAsksAlsoForWhatIsFresh() {
        find(ttl, whole(KEY), NONE, false);

        CurrentObject.Cached current =
                cached(finder.revalidate(ttl, whole(KEY)).blockOptional(TIMEOUT).orElseThrow());

        assertThat(current.status()).isEqualTo(CacheStatus.ofForwarded(Forward.STALE));
        assertThat(computed.asked()).containsExactly("HEAD " + KEY, "HEAD " + KEY);
    }

    @Test
    void staleObjectIsServedWhileItIsRevalidated() {
        BucketView lenient = view(backend, freshness(Duration.ofSeconds(30), Duration.ZERO));
        drained(cached(find(lenient, whole(KEY), NONE, true)));
        ahead.set(61_000);
        assertThat(preview(lenient, KEY).next()).isEqualTo(Next.STALE);

        CurrentObject.Cached stale = cached(find(lenient, whole(KEY), NONE, true));

        assertThat(stale.isForwarded()).isFalse();
        assertThat(stale.status().ttl().orElseThrow()).isNegative();
        assertThat(finder.explain(lenient, whole(KEY), stale)).endsWith("decision=stale; age=61; from=cache");
        Polling.until(
                "it is revalidated",
                () -> find(lenient, whole(KEY), ONLY_IF_CACHED, false) instanceof CurrentObject.Cached);
        assertThat(computed.asked()).containsExactly("GET " + KEY, "HEAD " + KEY);
    }

    /** A reader of bytes that are not here waits anyway. */
    @Test
    void onlyWhatIsHereIsServedWhileItIsRevalidated() {
        BucketView lenient = view(backend, freshness(Duration.ofSeconds(30), Duration.ZERO));
        find(lenient, whole(KEY), NONE, false);
        find(lenient, whole("k/0"), NONE, false);
        ahead.set(61_000);

        assertThat(cached(find(lenient, whole(KEY), NONE, true)).status())
                .isEqualTo(CacheStatus.ofForwarded(Forward.STALE));
        CurrentObject.Cached empty = cached(find(lenient, whole("k/0"), NONE, true));
        assertThat(empty.isForwarded()).isFalse();
        assertThat(finder.explain(lenient, whole("k/0"), empty)).endsWith("decision=stale; age=61; from=cache");
    }

    @Test
    void metadataAreServedWhileTheyAreRevalidated() {
        BucketView lenient = view(backend, freshness(Duration.ofSeconds(30), Duration.ZERO));
        find(lenient, whole(KEY), NONE, false);
        ahead.set(61_000);

        assertThat(cached(find(lenient, whole(KEY), NONE, false)).isForwarded()).isFalse();
    }

    @Test
    void staleObjectIsServedWhileTheBackendFails() {
        BucketView lenient = view(backend, freshness(Duration.ZERO, Duration.ofMinutes(10)));
        find(lenient, whole(KEY), NONE, false);
        ahead.set(61_000);
        backend.fail(new BackendException(FailureKind.UNAVAILABLE, "503"));

        CurrentObject.Cached stale = cached(find(lenient, whole(KEY), NONE, false));

        assertThat(stale.isForwarded()).isTrue();
        assertThat(stale.status().forwarded()).isEqualTo(Forward.NONE);
        assertThat(stale.status().ttl().orElseThrow()).isNegative();
        assertThat(backend.unanswered()).containsExactly("HEAD " + KEY);
    }

    @Test
    void failuresAreReportedWhereNothingStaleMayBeServed() {
        BucketView lenient = view(backend, freshness(Duration.ZERO, Duration.ofMinutes(10)));
        find(lenient, whole(KEY), NONE, false);
        ahead.set(61_000);
        backend.fail(new BackendException(FailureKind.UNAVAILABLE, "503"));

        BackendReadException demanded =
                failureOf(lenient, whole(KEY), RequestCacheControl.parse(List.of("max-age=1000")), false);
        BackendReadException elsewhere = failureOf(ttl, whole(KEY), NONE, false);
        backend.fail(new BackendException(FailureKind.ACCESS_DENIED, "403"));
        BackendReadException denied = failureOf(lenient, whole(KEY), NONE, false);
        backend.fail(new BackendException(FailureKind.UNAVAILABLE, "503"));
        ahead.set(661_000);
        BackendReadException late = failureOf(lenient, whole(KEY), NONE, false);

        assertThat(List.of(demanded, elsewhere, denied, late))
                .allMatch(failure -> failure.status()
                        .equals(CacheStatus.ofForwarded(Forward.STALE).notStored()));
        assertThat(denied.kind()).isEqualTo(FailureKind.ACCESS_DENIED);
        assertThat(late.kind()).isEqualTo(FailureKind.UNAVAILABLE);
    }

    /** The first waits for two seconds, and the next one not at all. */
    @Test
    void staleObjectIsServedWhileTheBackendHangs() {
        BucketView lenient = view(backend, freshness(Duration.ZERO, Duration.ofMinutes(10)));
        find(lenient, whole(KEY), NONE, false);
        ahead.set(61_000);
        backend.hang();

        for (int i = 0; i < 2; i++) {
            CurrentObject.Cached stale = cached(find(lenient, whole(KEY), NONE, false));
            assertThat(stale.status().forwarded()).isEqualTo(Forward.NONE);
        }
        assertThat(backend.unanswered()).containsExactly("HEAD " + KEY);

        assertThat(waits(ttl, whole(KEY), NONE, false))
                .as("nothing stale is allowed")
                .isTrue();
        assertThat(waits(lenient, whole(KEY), NONE, true))
                .as("its bytes are absent")
                .isTrue();
        assertThat(waits(lenient, whole(KEY), RequestCacheControl.parse(List.of("max-age=1000")), false))
                .as("the client bounds the age")
                .isTrue();
        ahead.set(657_999);
        assertThat(waits(lenient, whole(KEY), NONE, false)).isFalse();
        ahead.set(658_000);
        assertThat(waits(lenient, whole(KEY), NONE, false))
                .as("it is too old at the end of the wait")
                .isTrue();
    }

    @Test
    void metadataWithoutChecksumsAreNotServedToWhoWantsThemWhileTheBackendHangs() {
        BucketView lenient = view(backend, freshness(Duration.ZERO, Duration.ofMinutes(10)));
        ReadRequest range =
                whole("k/6000").withSelection(new ByteSelection.RangeSelection(new RangeSpec.Bounded(0, 9)));
        drained(cached(find(lenient, range, NONE, true)), new ByteRange(0, 9));
        ahead.set(61_000);
        backend.hang();
        find(lenient, whole("k/6000"), NONE, false);

        assertThat(waits(lenient, whole("k/6000"), NONE, false)).isFalse();
        assertThat(waits(lenient, whole("k/6000").withChecksums(), NONE, false)).isTrue();
    }

    /** Returns whether a read has no outcome at once. */
    private boolean waits(BucketView view, ReadRequest request, RequestCacheControl client, boolean bodyWanted) {
        CompletableFuture<CurrentObject> found =
                finder.find(view, request, client, bodyWanted).toFuture();
        return !found.isDone() && found.cancel(true);
    }

    @Test
    void absenceIsRemembered() {
        ObjectId id = ObjectId.current("backend", ttl.at(new ObjectKey(KEY)));
        ObjectPrefix below = new ObjectPrefix("backend", new BucketName("bucket"), "k/");
        backend.fail(new BackendException(FailureKind.NO_SUCH_KEY, "404"));
        assertThat(failureOf(ttl, whole(KEY), NONE, false).status())
                .isEqualTo(CacheStatus.miss(false).notStored());

        ahead.set(1_500);
        BackendReadException remembered = failureOf(ttl, whole(KEY), NONE, true);

        long left = FreshnessLifetime.millis(Duration.ofSeconds(5), id.hashCode()) - 1_500;
        assertThat(remembered.kind()).isEqualTo(FailureKind.NO_SUCH_KEY);
        assertThat(remembered.status()).isEqualTo(CacheStatus.hit(left / 1000));
        assertThat(preview(ttl, KEY).next()).isEqualTo(Next.MISSING);
        assertThat(preview(ttl, KEY).missingMillis()).hasValue(left);
        assertThat(preview(ttl, KEY).unknown().next()).isEqualTo(Next.MISS);
        assertThat(backend.unanswered()).containsExactly("HEAD " + KEY);

        finder.invalidation().afterWrite(id, true);
        failureOf(ttl, whole(KEY), NONE, false);
        finder.invalidation().afterPrefixInvalidation(below);
        failureOf(ttl, whole(KEY), NONE, true);
        ahead.addAndGet(5_000);
        failureOf(ttl, whole(KEY), NONE, false);
        assertThat(backend.unanswered()).containsExactly("HEAD " + KEY, "HEAD " + KEY, "GET " + KEY, "HEAD " + KEY);
    }

    @Test
    void absenceIsNoOlderThanTheClientAccepts() {
        backend.fail(new BackendException(FailureKind.NO_SUCH_KEY, "404"));
        failureOf(ttl, whole(KEY), NONE, false);
        ahead.set(1_500);

        failureOf(ttl, whole(KEY), RequestCacheControl.parse(List.of("max-age=2")), false);
        assertThat(backend.unanswered()).hasSize(1);
        failureOf(ttl, whole(KEY), RequestCacheControl.parse(List.of("max-age=1")), false);
        assertThat(backend.unanswered()).hasSize(2);
    }

    /** What a delete marker is, only the backend knows; and a failure is no absence. */
    @Test
    void onlyPlainAbsenceIsRemembered() {
        BackendException marker = new BackendException(FailureKind.NO_SUCH_KEY, "404")
                .withHeaders(HeaderList.EMPTY.with("x-amz-delete-marker", "true"));
        for (BackendException failure : List.of(marker, new BackendException(FailureKind.ACCESS_DENIED, "403"))) {
            backend.fail(failure);
            failureOf(ttl, whole(KEY), NONE, false);
            failureOf(ttl, whole(KEY), NONE, true);
        }

        assertThat(backend.unanswered()).hasSize(4);
        assertThat(preview(ttl, KEY).next()).isEqualTo(Next.MISS);
    }

    @Test
    void listingShowsThatAKeyIsThere() {
        backend.fail(new BackendException(FailureKind.NO_SUCH_KEY, "404"));
        failureOf(ttl, whole(KEY), NONE, false);
        backend.recover();

        list(ttl);

        assertThat(find(ttl, whole(KEY), NONE, false)).isInstanceOf(CurrentObject.Cached.class);
    }

    @ParameterizedTest
    @EnumSource(
            value = Mode.class,
            names = {"TTL", "IMMUTABLE"})
    void listingInvalidatesWhatItContradicts(Mode mode) {
        BucketView bucket =
                view(backend, BucketViews.freshness(mode, Duration.ofSeconds(60), Duration.ZERO, Duration.ZERO));
        find(bucket, whole(KEY), NONE, false);
        computed.replace(KEY);

        list(bucket);

        CurrentObject.Cached current = cached(find(bucket, whole(KEY), NONE, false));
        assertThat(current.metadata().head().eTag()).contains(ETag.strong(mode == Mode.TTL ? "v1" : "v0"));
    }

    @Test
    void writesInvalidateListings() {
        BucketView listed = view(
                backend,
                new FreshnessSettings(
                        Mode.TTL,
                        Duration.ofSeconds(60),
                        Duration.ofSeconds(5),
                        Duration.ofSeconds(60),
                        Duration.ZERO,
                        Duration.ZERO));
        list(listed);
        list(listed);
        assertThat(backend.others()).hasSize(1);

        finder.invalidation().afterWrite(ObjectId.current("backend", listed.at(new ObjectKey(KEY))), true);
        list(listed);
        assertThat(backend.others()).hasSize(2);
        finder.invalidation().afterBucketWrite(listed);
        list(listed);
        assertThat(backend.others()).hasSize(3);
        finder.invalidation().afterPrefixInvalidation(new ObjectPrefix("backend", new BucketName("bucket"), ""));
        list(listed);
        assertThat(backend.others()).hasSize(4);
    }

    @Test
    void invalidationOfAllForgetsAbsencesBucketsAndListings() {
        SwitchedBackend ambiguous = new SwitchedBackend(computed, Capability.AMBIGUOUS_NOT_FOUND);
        BucketView bucket = view(
                ambiguous,
                new FreshnessSettings(
                        Mode.TTL,
                        Duration.ofSeconds(60),
                        Duration.ofSeconds(60),
                        Duration.ofSeconds(60),
                        Duration.ZERO,
                        Duration.ZERO));
        find(bucket, whole("k/1"), NONE, false);
        find(bucket, whole("k/2"), NONE, false);
        ahead.set(61_000);
        list(bucket);
        ambiguous.fail(new BackendException(FailureKind.NO_SUCH_KEY, "404"));
        failureOf(bucket, whole(KEY), NONE, false);
        failureOf(bucket, whole(KEY), NONE, false);
        failureOf(bucket, whole("k/1"), NONE, true);
        assertThat(ambiguous.unanswered()).containsExactly("HEAD " + KEY, "HEAD k/1");
        assertThat(ambiguous.others()).containsExactly("LIST " + KEY, "BUCKET bucket");

        finder.invalidation().afterInvalidationOfAll();

        list(bucket);
        failureOf(bucket, whole("k/2"), NONE, true);
        failureOf(bucket, whole("k/7"), NONE, false);
        assertThat(ambiguous.others()).containsExactly("LIST " + KEY, "BUCKET bucket", "LIST " + KEY, "BUCKET bucket");
        failureOf(bucket, whole("k/7"), NONE, false);
        finder.invalidation().afterInvalidationOfAll();
        failureOf(bucket, whole("k/7"), NONE, false);
        assertThat(ambiguous.unanswered())
                .containsExactly("HEAD " + KEY, "HEAD k/1", "HEAD k/2", "HEAD k/7", "HEAD k/7");
    }

    @Test
    void listingWithoutACacheContradictsNothing() {
        CurrentObjectFinder none = new CurrentObjectFinder(Optional.empty(), ObjectSourceFactory.BACKENDS, clock);
        ListRequest request = new ListRequest(new BucketName("bucket"), KEY, "", new PageStart.FirstKey(), 10, false);

        ListResult listed = none.list(ttl, request, NONE).blockOptional(TIMEOUT).orElseThrow();

        assertThat(listed.status()).isEmpty();
        assertThat(listed.page().objects()).hasSize(1);
    }

    /** In a strict bucket the bytes are shared, and not the knowledge that they are current. */
    @ParameterizedTest
    @EnumSource(
            value = Mode.class,
            names = {"TTL", "STRICT"})
    void secondReaderJoinsTheRequestOfTheFirst(Mode mode) {
        Sinks.Empty<Void> gate = Sinks.empty();
        BucketView gated = gated(
                request -> gate.asMono().then(computed.open(request)),
                BucketViews.freshness(mode, Duration.ofSeconds(60), Duration.ofSeconds(5), Duration.ZERO));
        CompletableFuture<CurrentObject> first =
                finder.find(gated, whole(KEY), NONE, true).toFuture();
        CompletableFuture<CurrentObject> second =
                finder.find(gated, whole(KEY), NONE, true).toFuture();
        gate.tryEmitEmpty();

        CurrentObject.Cached leader = cached(first.join());
        CurrentObject.Cached joined = cached(second.join());
        assertThat(leader.status()).isEqualTo(CacheStatus.miss(false));
        assertThat(leader.isOpening()).isTrue();
        assertThat(joined.isForwarded()).isTrue();
        assertThat(joined.isOpening()).isFalse();
        if (mode == Mode.STRICT) {
            assertThat(joined.status()).isEqualTo(CacheStatus.ofForwarded(Forward.MISS));
            assertThat(computed.asked()).containsExactly("GET " + KEY, "HEAD " + KEY);
        } else {
            assertThat(joined.status()).isEqualTo(CacheStatus.miss(true));
            assertThat(computed.asked()).containsExactly("GET " + KEY);
        }
        assertThat(drained(leader)).isEqualTo(computed.bytes(KEY, 0, 5000));
    }

    @Test
    void bytesOnTheirWayAreNoHit() {
        Sinks.Empty<Void> gate = Sinks.empty();
        BucketView gated = gated(
                request -> computed.open(request)
                        .map(content -> new ObjectContent(
                                content.head(), content.range(), content.body().delaySubscription(gate.asMono()))),
                BucketViews.FRESHNESS);
        CompletableFuture<Integer> first = cached(find(gated, whole(KEY), NONE, true))
                .readBuffers(ALL)
                .map(piece -> UploadBodies.takeBytes(piece).length)
                .reduce(0, Integer::sum)
                .toFuture();

        CurrentObject.Cached second = cached(find(gated, whole(KEY), NONE, true));
        Polling.until("its bytes are on their way", () -> second.status(ALL).equals(CacheStatus.miss(true)));
        assertThat(second.status().result()).isEqualTo(CacheResult.HIT);
        assertThat(second.isAvailable(ALL)).isFalse();
        assertThat(finder.explain(gated, whole(KEY), second)).endsWith("decision=partial; age=0; from=fill");

        gate.tryEmitEmpty();
        assertThat(drained(second)).isEqualTo(computed.bytes(KEY, 0, 5000));
        assertThat(first.join()).isEqualTo(5000);
        assertThat(second.isAvailable(ALL)).isTrue();
        assertThat(computed.asked()).containsExactly("GET " + KEY);
    }

    private BucketView gated(Function<ReadRequest, Mono<ObjectContent>> open, FreshnessSettings freshness) {
        PassingBackend held = new PassingBackend(computed) {
            @Override
            public Mono<ObjectContent> open(ReadRequest request) {
                return open.apply(request);
            }
        };
        return BucketViews.of("bucket", held, "bucket", "", List.of(), freshness);
    }

    /** Only for readers of bytes: the response to a HEAD has no place for it. */
    @Test
    void missingKeyMayBeAMissingBucket() {
        SwitchedBackend ambiguous = new SwitchedBackend(computed, Capability.AMBIGUOUS_NOT_FOUND);
        BucketView bucket = view(ambiguous, freshness(Duration.ZERO, Duration.ZERO));
        List<String> keys = List.of("k/1", "k/2", "k/3", "k/4", "k/5");
        keys.forEach(key -> find(bucket, whole(key), NONE, false));
        ahead.set(61_000);
        ambiguous.fail(new BackendException(FailureKind.NO_SUCH_KEY, "404"));

        failureOf(bucket, whole("k/1"), NONE, false);
        assertThat(ambiguous.others()).isEmpty();
        failureOf(bucket, whole("k/2"), NONE, true);
        failureOf(bucket, whole("k/3"), NONE, true);
        assertThat(ambiguous.others()).containsExactly("BUCKET bucket");
        finder.invalidation().afterBucketWrite(bucket);
        failureOf(bucket, whole("k/4"), NONE, true);
        finder.invalidation().afterPrefixInvalidation(new ObjectPrefix("backend", new BucketName("bucket"), "other/"));
        failureOf(bucket, whole("k/5"), NONE, true);
        assertThat(ambiguous.others()).hasSize(3);
    }

    @Test
    void keysWithAnAliasAreAskedForEachTime() {
        SwitchedBackend files = new SwitchedBackend(computed, Capability.PATH_ALIASES);
        BucketView bucket = view(files, BucketViews.FRESHNESS);
        find(bucket, whole("k//5000"), NONE, false);
        find(bucket, whole("k//5000"), NONE, false);
        find(bucket, whole(KEY), NONE, false);
        find(bucket, whole(KEY), NONE, false);

        assertThat(computed.asked()).containsExactly("HEAD k//5000", "HEAD k//5000", "HEAD " + KEY);
        assertThat(preview(bucket, "k//5000").next()).isEqualTo(Next.REVALIDATE);
        assertThat(preview(bucket, "k//5000").aliased()).isTrue();
        assertThat(preview(bucket, KEY).aliased()).isFalse();
    }

    @Test
    void metadataWithoutChecksumsAreCompletedWhereThatIsWorthARequest() {
        ReadRequest range = whole(KEY).withSelection(new ByteSelection.RangeSelection(new RangeSpec.Bounded(0, 9)));
        drained(cached(find(ttl, range, NONE, true)), new ByteRange(0, 9));
        computed.asked().clear();

        find(ttl, whole(KEY), NONE, false);
        find(ttl, range.withChecksums(), NONE, false);
        find(ttl, whole(KEY).withChecksums(), NONE, true);
        assertThat(computed.asked()).isEmpty();

        CurrentObject.Cached complete = cached(find(ttl, whole(KEY).withChecksums(), NONE, false));
        assertThat(complete.status().forwarded()).isEqualTo(Forward.STALE);
        assertThat(computed.asked()).containsExactly("HEAD " + KEY);
    }

    @Test
    void readersOfBytesGetTheChecksumsOfABackendThatHasSome() {
        BucketView bucket = view(new SwitchedBackend(computed, Capability.CHECKSUMS), BucketViews.FRESHNESS);
        ReadRequest range = whole(KEY).withSelection(new ByteSelection.RangeSelection(new RangeSpec.Bounded(0, 9)));
        drained(cached(find(bucket, range, NONE, true)), new ByteRange(0, 9));

        find(bucket, whole(KEY).withChecksums(), NONE, true);

        assertThat(computed.asked()).endsWith("HEAD " + KEY);
    }

    @Test
    void partsAreLocatedOnce() {
        String key = "p/5242880";
        CurrentObject.Cached first = cached(find(ttl, part(key, 2), NONE, true));
        CurrentObject.Cached again = cached(find(ttl, part(key, 2), ONLY_IF_CACHED, true));

        assertThat(List.of(first, again))
                .allMatch(found -> found.part()
                        .flatMap(ObjectPart::range)
                        .equals(Optional.of(new ByteRange(2_097_152, 4_194_303))));
        assertThat(find(ttl, part(key, 3), ONLY_IF_CACHED, true)).isInstanceOf(CurrentObject.NotCached.class);
        assertThat(computed.asked()).containsExactly("HEAD " + key, "HEAD part " + key);
        assertThat(finder.explain(ttl, part(key, 2), again)).endsWith("decision=partial; age=0; from=backend");
    }

    @Test
    void partOfAReplacedObjectIsThatOfTheNewOne() {
        String key = "p/5242880";
        find(ttl, part(key, 1), NONE, true);
        computed.replace(key);

        CurrentObject.Cached found = cached(find(ttl, part(key, 3), NONE, true));

        assertThat(found.metadata().head().eTag()).contains(ETag.strong("v1"));
        assertThat(found.part().flatMap(ObjectPart::range)).contains(new ByteRange(4_194_304, 5_242_879));
        assertThat(cached(finder.revalidate(ttl, part(key, 3))
                                .blockOptional(TIMEOUT)
                                .orElseThrow())
                        .part())
                .isEqualTo(found.part());
    }

    /** A copy of an object onto itself may keep its version, and change its checksums. */
    @Test
    void partIsLocatedAgainIfTheChecksumsOfItsObjectHaveChanged() {
        String key = "p/5242880";
        BucketView strict =
                view(backend, BucketViews.freshness(Mode.STRICT, Duration.ofSeconds(60), Duration.ZERO, Duration.ZERO));
        for (String checksum : List.of("a", "a", "b")) {
            computed.tell(key, HeaderList.EMPTY.with("x-amz-checksum-crc32", checksum));
            find(strict, part(key, 2).withChecksums(), NONE, true);
            find(strict, part(key, 2), NONE, true);
        }

        assertThat(computed.asked())
                .filteredOn(("HEAD part " + key)::equals)
                .as("twice with checksums, once without")
                .hasSize(3);
    }

    @Test
    void explanationTellsWhoseRequestItWas() {
        ObjectMetadata empty = cached(find(ttl, whole("k/0"), NONE, false)).metadata();

        assertThat(explained(empty, CacheStatus.miss(true))).endsWith("decision=joined; age=0; from=cache");
        assertThat(explained(empty, CacheStatus.BYPASS)).endsWith("decision=bypass; age=0; from=cache");
        ahead.set(-5_000);
        assertThat(explained(empty, CacheStatus.hit(1)))
                .as("the clock was set back")
                .endsWith("age=0; from=cache");
    }

    private String explained(ObjectMetadata metadata, CacheStatus status) {
        return finder.explain(
                ttl,
                whole("k/0"),
                new CurrentObject.Cached(
                        cache.reader(),
                        metadata,
                        context -> new BackendObjectSource(ttl, metadata.id()),
                        status,
                        false,
                        Optional.empty()));
    }

    /** The client gets what is wrong from the read itself. */
    @Test
    void refusedPartBypasses() {
        String key = "p/5242880";
        backend.failParts(new BackendException(FailureKind.INVALID_PART, "416"));
        assertThat(find(ttl, part(key, 2), NONE, true)).isEqualTo(new CurrentObject.Bypass(Optional.empty()));

        for (FailureKind kind : List.of(FailureKind.UNAVAILABLE, FailureKind.INVALID_RESPONSE)) {
            backend.failParts(new BackendException(kind, "no part"));
            assertThat(catchThrowableOfType(BackendException.class, () -> find(ttl, part(key, 2), NONE, true))
                            .kind())
                    .isEqualTo(kind);
        }
        computed.weaken();
        assertThat(find(ttl, part("p/1", 1), NONE, true)).isEqualTo(new CurrentObject.Bypass(Optional.empty()));
    }

    private CurrentObject find(BucketView view, ReadRequest request, RequestCacheControl client, boolean bodyWanted) {
        return finder.find(view, request, client, bodyWanted)
                .blockOptional(TIMEOUT)
                .orElseThrow();
    }

    private BackendReadException failureOf(
            BucketView view, ReadRequest request, RequestCacheControl client, boolean bodyWanted) {
        return catchThrowableOfType(BackendReadException.class, () -> find(view, request, client, bodyWanted));
    }

    private ReadPreview preview(BucketView view, String key) {
        return finder.previewer()
                .preview(view, view.at(new ObjectKey(key)))
                .blockOptional(TIMEOUT)
                .orElseThrow();
    }

    private void list(BucketView view) {
        ListRequest request = new ListRequest(new BucketName("bucket"), KEY, "", new PageStart.FirstKey(), 10, false);
        assertThat(finder.list(view, request, NONE).block(TIMEOUT)).isNotNull();
    }

    private byte[] drained(CurrentObject.Cached object) {
        return drained(object, new ByteRange(0, object.metadata().size() - 1));
    }

    /** Returns these bytes, when they are stored. */
    private byte[] drained(CurrentObject.Cached object, ByteRange range) {
        byte[] all = bytes(object.read(range)
                .cast(ByteBuf.class)
                .contextWrite(context -> context.put(CacheReader.BUFFERS_ONLY, true)));
        Polling.until(
                "the fill has ended",
                () -> cache.administration().stats().fills() == 0
                        && Boolean.TRUE.equals(object.isFullyResident(range).block()));
        return all;
    }

    private static byte[] bytes(Flux<ByteBuf> body) {
        return body.map(UploadBodies::takeBytes)
                .reduce(new ByteArrayOutputStream(), (all, piece) -> {
                    all.writeBytes(piece);
                    return all;
                })
                .map(ByteArrayOutputStream::toByteArray)
                .blockOptional(TIMEOUT)
                .orElseThrow();
    }

    private static CurrentObject.Cached cached(CurrentObject object) {
        assertThat(object).isInstanceOf(CurrentObject.Cached.class);
        return (CurrentObject.Cached) object;
    }

    private static ReadRequest whole(String key) {
        return ReadRequest.of(new ObjectRef(new BucketName("bucket"), new ObjectKey(key)));
    }

    private static ReadRequest part(String key, int number) {
        return whole(key).withSelection(new ByteSelection.PartSelection(number));
    }

    private static FreshnessSettings freshness(Duration staleWhileRevalidate, Duration staleIfError) {
        return new FreshnessSettings(
                Mode.TTL,
                Duration.ofSeconds(60),
                Duration.ofSeconds(5),
                Duration.ZERO,
                staleWhileRevalidate,
                staleIfError);
    }

    private static BucketView view(SwitchedBackend backend, FreshnessSettings freshness, CacheRule... rules) {
        return BucketViews.of("bucket", backend, "bucket", "", List.of(rules), freshness);
    }
}
