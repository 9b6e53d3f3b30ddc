package io.millrace.gateway.objects.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.millrace.backend.spi.Backend;
import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.HeadResult;
import io.millrace.backend.spi.ListRequest;
import io.millrace.backend.spi.ListRequest.PageStart;
import io.millrace.backend.spi.ObjectContent;
import io.millrace.backend.spi.ObjectHead;
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
import io.millrace.backend.testkit.BufferLeakExtension;
import io.millrace.backend.testkit.PassingBackend;
import io.millrace.backend.testkit.Polling;
import io.millrace.backend.testkit.data.UploadBodies;
import io.millrace.cache.BlockCache;
import io.millrace.cache.ObjectSource;
import io.millrace.cache.fill.SourceTraits;
import io.millrace.cache.fill.UncacheableObjectException;
import io.millrace.cache.metadata.ObjectId;
import io.millrace.gateway.objects.bucket.BucketView;
import io.millrace.gateway.objects.bucket.BucketViews;
import io.millrace.gateway.objects.bucket.FreshnessSettings;
import io.millrace.gateway.objects.bucket.FreshnessSettings.Mode;
import io.millrace.gateway.objects.read.CacheStatus.Forward;
import io.millrace.gateway.objects.read.ObjectPrefetcher.PrefetchResult;
import io.millrace.gateway.objects.read.ReadPreview.Next;
import io.millrace.gateway.objects.testkit.CacheFixture;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Tests that reads, previews and prefetches of a derived bucket are those of what its objects are derived from. */
@ExtendWith(BufferLeakExtension.class)
class DerivedReadTest {
    private static final int MIB = 1 << 20;
    private static final String CONTAINER = "c/" + 5 * MIB;
    private static final Duration TIMEOUT = Duration.ofSeconds(60);
    private static final RequestCacheControl NONE = RequestCacheControl.NONE;
    private static final RequestCacheControl ONLY_IF_CACHED = RequestCacheControl.parse(List.of("only-if-cached"));

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path folder;

    private final ComputedBackend computed = new ComputedBackend();
    private final BucketView source = view(computed, Mode.IMMUTABLE);
    private final BucketView derived = view(new Slices(), Mode.TTL);

    /** What is found in place of a slice; empty for slices. */
    private Optional<Mono<CurrentObject>> instead = Optional.empty();

    @SuppressWarnings("NullAway.Init")
    private BlockCache cache;

    @SuppressWarnings("NullAway.Init")
    private CurrentObjectFinder finder;

    @BeforeEach
    void start() throws IOException {
        cache = CacheFixture.in(folder);
        finder = new CurrentObjectFinder(Optional.of(cache), ObjectSourceFactory.BACKENDS, InstantSource.system());
    }

    /** A fill goes on after its reader: it would outlive the cache. */
    @AfterEach
    void stop() {
        Polling.until("nothing is fetched", () -> cache.administration().stats().fills() == 0);
        cache.close();
    }

    @Test
    void objectIsFoundInItsContainer() {
        CurrentObject.Cached slice = find("s/1000/100");

        assertThat(slice.head().size()).isEqualTo(100);
        assertThat(slice.metadata().size()).isEqualTo(5 * MIB);
        assertThat(bytes(slice)).isEqualTo(computed.bytes(CONTAINER, 1000, 100));
        assertThat(computed.asked().get(0)).isEqualTo("HEAD " + CONTAINER);
        assertThat(computed.asked()).allMatch(request -> request.endsWith(CONTAINER));
    }

    @Test
    void containerIsWhatIsRevalidated() {
        find("s/1000/100");

        CurrentObject.Cached again = (CurrentObject.Cached) finder.revalidate(derived, request("s/1000/100"))
                .blockOptional(TIMEOUT)
                .orElseThrow();

        assertThat(again.head().size()).isEqualTo(100);
        assertThat(again.status()).isEqualTo(CacheStatus.ofForwarded(Forward.STALE));
        assertThat(computed.asked()).containsExactly("HEAD " + CONTAINER, "HEAD " + CONTAINER);
    }

    @Test
    void rulesOfTheSourceExplainARead() {
        find("s/1000/100");

        assertThat(finder.explain(derived, request("s/1000/100"), find("s/1000/100")))
                .startsWith("rule=immutable; decision=partial; ");
        assertThat(finder.explain(derived, request("s/1000/100"), new CurrentObject.Bypass(Optional.empty())))
                .isEqualTo("rule=immutable; decision=bypass; from=backend");
    }

    /** The pages that they are made of are cached already, or their archives are. */
    @Test
    void listingsAreNotCached() {
        ListRequest request = new ListRequest(new BucketName("bucket"), "k/5", "", new PageStart.FirstKey(), 10, false);

        for (int i = 0; i < 2; i++) {
            ListResult listed =
                    finder.list(derived, request, NONE).blockOptional(TIMEOUT).orElseThrow();
            assertThat(listed.status()).isEmpty();
            assertThat(listed.page().objects()).hasSize(1);
        }
        assertThat(finder.list(derived, request, ONLY_IF_CACHED).blockOptional(TIMEOUT))
                .isEmpty();
    }

    @Test
    void previewIsThatOfTheContainerAndOfTheBytesOfTheSlice() {
        assertThat(next("s/1000/100")).isEqualTo(Next.MISS);
        find("s/1000/100");
        assertThat(next("s/1000/100")).isEqualTo(Next.PARTIAL);
        assertThat(next("s/1000/0")).as("it has no bytes").isEqualTo(Next.HIT);
        assertThat(next("none")).as("nothing could contain it").isEqualTo(Next.MISS);

        prefetch("s/2098152/100", Optional.empty());
        Polling.until("its block is on a disk", () -> next("s/2098152/100") == Next.HIT);
        assertThat(next("s/1000/100")).as("of another block").isEqualTo(Next.PARTIAL);

        instead = Optional.of(Mono.just(new CurrentObject.NotCached()));
        assertThat(next("s/2098152/100")).as("its place is not known").isEqualTo(Next.PARTIAL);
        instead = Optional.of(Mono.error(new BackendException(FailureKind.NO_SUCH_KEY, "404")));
        assertThat(next("s/2098152/100")).as("it is not there").isEqualTo(Next.PARTIAL);
    }

    @Test
    void prefetchBringsTheBlocksOfTheSliceAlone() {
        assertThat(prefetch("s/2098152/100", Optional.empty())).isEqualTo(new PrefetchResult(100, 100, 100));
        assertThat(computed.asked())
                .containsExactly("HEAD " + CONTAINER, "GET %d-%d %s".formatted(2 * MIB, 3 * MIB - 1, CONTAINER));
        Polling.until("its block is on a disk", () -> next("s/2098152/100") == Next.HIT);

        assertThat(prefetch("s/2098152/100", Optional.empty()))
                .as("it is here")
                .isEqualTo(new PrefetchResult(100, 100, 0));
        assertThat(prefetch("s/2098152/100", Optional.of(new RangeSpec.Bounded(10, 19))))
                .isEqualTo(new PrefetchResult(100, 10, 0));
        assertThat(prefetch("s/2098152/100", Optional.of(new RangeSpec.OpenEnded(100))))
                .as("beyond its end")
                .isEqualTo(new PrefetchResult(100, 0, 0));
        assertThat(prefetch("s/2098152/0", Optional.empty())).isEqualTo(new PrefetchResult(0, 0, 0));
        assertThat(computed.asked()).hasSize(2);
    }

    /** Full disks take little that was asked for once: it would be gone before the prefetch looks for it. */
    @Test
    void prefetchedResultIsMadeOnceAndStored() {
        UnstoredSource service = new UnstoredSource();
        ObjectId id = new ObjectId("made", ref("m"), Optional.of("making"));
        instead = Optional.of(
                Mono.defer(() -> finder.findMade(id, context -> service, CacheStatus.BYPASS, false, false)));

        assertThat(prefetch("s/0/100", Optional.empty())).isEqualTo(new PrefetchResult(100, 100, 100));
        assertThat(prefetch("s/0/100", Optional.empty())).as("it is here").isEqualTo(new PrefetchResult(100, 100, 0));
        assertThat(service.calls).hasValue(1);
    }

    @Test
    void uncachedObjectIsNotPrefetched() {
        instead = Optional.of(Mono.just(new CurrentObject.Bypass(Optional.empty())));

        UncacheableObjectException refused =
                catchThrowableOfType(UncacheableObjectException.class, () -> prefetch("s/1000/100", Optional.empty()));

        assertThat(refused.isTransient()).isFalse();
        assertThat(computed.asked()).isEmpty();
    }

    @Test
    void objectThatIsMadeHasItsOwnIdAndMetadata() {
        find("s/1000/100");
        CurrentObject.Cached container = container();
        ObjectId id = ObjectId.current("decoded", ref("made"));
        ObjectPart part = new ObjectPart(Optional.of(new ByteRange(3, 4)), HeaderList.EMPTY);

        CurrentObject.Cached made =
                container.ofMade(id, sliceHead(7), context -> new BackendObjectSource(source, id), Optional.of(part));

        assertThat(made.metadata().id()).isEqualTo(id);
        assertThat(made.metadata().fetchedAt()).isEqualTo(container.metadata().fetchedAt());
        assertThat(made.head().size()).isEqualTo(7);
        assertThat(made.part()).contains(part);
        assertThat(made.placed(new ByteRange(1, 2))).isEqualTo(new ByteRange(1, 2));
        assertThat(made.status()).isEqualTo(container.status());
        assertThat(made.isForwarded()).isFalse();
    }

    @Test
    void readThatHadToFetchIsNoHit() {
        CurrentObject.Cached first = find("s/1000/100");
        CurrentObject.Cached hit = container();

        assertThat(first.afterFetch().status()).isEqualTo(first.status());
        assertThat(hit.status().result()).isEqualTo(CacheResult.HIT);
        assertThat(hit.afterFetch().status()).isEqualTo(CacheStatus.miss(false));
        assertThat(hit.afterFetch().metadata()).isEqualTo(hit.metadata());
    }

    private CurrentObject.Cached find(String key) {
        return (CurrentObject.Cached) finder.find(derived, request(key), NONE, true)
                .blockOptional(TIMEOUT)
                .orElseThrow();
    }

    private CurrentObject.Cached container() {
        return (CurrentObject.Cached) finder.find(source, request(CONTAINER), NONE, false)
                .blockOptional(TIMEOUT)
                .orElseThrow();
    }

    private Next next(String key) {
        return finder.previewer()
                .preview(derived, ref(key))
                .blockOptional(TIMEOUT)
                .orElseThrow()
                .next();
    }

    private PrefetchResult prefetch(String key, Optional<RangeSpec> range) {
        return new ObjectPrefetcher(
                        cache.reader(), cache.prefetcher(), ObjectSourceFactory.BACKENDS, InstantSource.system())
                .prefetch(
                        derived, ref(key), range, Optional.empty(), MIB, bytes -> Mono.empty(), (bytes, brought) -> {})
                .blockOptional(TIMEOUT)
                .orElseThrow();
    }

    private static byte[] bytes(CurrentObject.Cached object) {
        return object.readBuffers(new ByteRange(0, object.head().size() - 1))
                .map(UploadBodies::takeBytes)
                .collect(ByteArrayOutputStream::new, ByteArrayOutputStream::writeBytes)
                .map(ByteArrayOutputStream::toByteArray)
                .blockOptional(TIMEOUT)
                .orElseThrow();
    }

    private static ReadRequest request(String key) {
        return ReadRequest.of(ref(key));
    }

    private static ObjectRef ref(String key) {
        return new ObjectRef(new BucketName("bucket"), new ObjectKey(key));
    }

    private static ObjectHead sliceHead(long size) {
        Optional<ETag> tag = Optional.of(ETag.strong("slice"));
        return new ObjectHead(
                ObjectVersion.ofETag(tag, size, Optional.empty()), tag, Optional.empty(), HeaderList.EMPTY);
    }

    private static BucketView view(Backend backend, Mode mode) {
        FreshnessSettings freshness = new FreshnessSettings(
                mode,
                Duration.ofSeconds(60),
                Duration.ofSeconds(5),
                Duration.ofSeconds(60),
                Duration.ZERO,
                Duration.ZERO);
        return BucketViews.of("bucket", backend, "bucket", "", List.of(), freshness);
    }

    /** Makes an object whose bytes no disk takes but for a prefetch. */
    private static final class UnstoredSource implements ObjectSource {
        final AtomicInteger calls = new AtomicInteger();

        @Override
        public SourceTraits traits() {
            return new SourceTraits(SourceTraits.Storing.NEVER, SourceTraits.Place.HERE, true);
        }

        @Override
        public Mono<ObjectContent> open(ByteSelection selection) {
            return Mono.fromSupplier(() -> new ObjectContent(sliceHead(100), Optional.empty(), made(100)));
        }

        @Override
        public Mono<HeadResult> head() {
            return Mono.fromSupplier(() -> new HeadResult(sliceHead(100), Optional.empty()));
        }

        @Override
        public Flux<ByteBuf> fetch(ObjectVersion version, ByteRange range) {
            return made((int) range.length());
        }

        private Flux<ByteBuf> made(int size) {
            return Flux.defer(() -> {
                calls.incrementAndGet();
                return Flux.just(Unpooled.wrappedBuffer(new byte[size]));
            });
        }
    }

    /** A backend whose objects are slices of one object of another; keys end in a slice's offset and its size. */
    private final class Slices extends PassingBackend implements DerivedObjectFinder {
        Slices() {
            super(computed);
        }

        @Override
        public BucketView source() {
            return source;
        }

        @Override
        public Optional<ObjectRef> containerOf(ObjectRef object) {
            return object.key().value().equals("none") ? Optional.empty() : Optional.of(ref(CONTAINER));
        }

        @Override
        public Mono<CurrentObject> find(ReadRequest request, RequestCacheControl client) {
            return instead.orElseGet(() -> sliced(request, finder.find(source, request(CONTAINER), client, false)));
        }

        @Override
        public Mono<CurrentObject> revalidate(ReadRequest request) {
            return sliced(request, finder.revalidate(source, request(CONTAINER)));
        }

        private Mono<CurrentObject> sliced(ReadRequest request, Mono<CurrentObject> container) {
            String[] parts = request.object().key().value().split("/", -1);
            ObjectSlice slice = new ObjectSlice(sliceHead(Long.parseLong(parts[2])), Long.parseLong(parts[1]));
            return container.map(found ->
                    found instanceof CurrentObject.Cached cached ? cached.ofSlice(slice, Optional.empty()) : found);
        }
    }
}
