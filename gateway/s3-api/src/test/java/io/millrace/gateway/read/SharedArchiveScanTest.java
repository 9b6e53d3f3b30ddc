package io.millrace.gateway.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.file.FileBackendProvider;
import io.millrace.backend.file.FileBackendSettings;
import io.millrace.backend.spi.Backend;
import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.HeadResult;
import io.millrace.backend.spi.ObjectContent;
import io.millrace.backend.spi.ObjectHead;
import io.millrace.backend.spi.ReadRequest;
import io.millrace.backend.spi.ReadRequest.ByteSelection;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.ByteRange;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.backend.spi.object.ObjectVersion;
import io.millrace.backend.spi.object.RangeSpec;
import io.millrace.backend.testkit.BufferLeakExtension;
import io.millrace.backend.testkit.PassingBackend;
import io.millrace.backend.testkit.Polling;
import io.millrace.cache.BlockCache;
import io.millrace.cache.ObjectSource;
import io.millrace.cache.metadata.ObjectId;
import io.millrace.cache.metadata.ObjectMetadata;
import io.millrace.cache.metadata.ObjectPrefix;
import io.millrace.gateway.objects.bucket.BucketViews;
import io.millrace.gateway.objects.bucket.FreshnessSettings;
import io.millrace.gateway.objects.testkit.CacheFixture;
import io.millrace.gateway.testkit.RawClient.Response;
import io.millrace.gateway.testkit.SigningClient;
import io.millrace.gateway.testkit.TestGateway;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/**
 * The index of a shard is made by one pass that all its readers share: a member is served when the pass has met it, and
 * what was found outlives the process.
 */
@ExtendWith(BufferLeakExtension.class)
@Timeout(120)
class SharedArchiveScanTest {
    private static final String SHARD = "train/0001.tar";
    private static final int BLOCK = 1 << 20;
    private static final TestArchive FILES = files("");

    @TempDir
    Path folder;

    private final ExecutorService clients = Executors.newCachedThreadPool();
    private HoldingBackend backend;
    private BlockCache cache;
    private TestGateway gateway;
    private SigningClient client;

    /** Returns files that fill several blocks of the cache. */
    private static TestArchive files(String suffix) {
        Map<String, Integer> sizes = new LinkedHashMap<>();
        for (int i = 0; i < 200; i++) {
            sizes.put("%04d.jpg".formatted(i) + suffix, 20_000);
        }
        return TestArchive.of(sizes);
    }

    @BeforeEach
    void start() throws IOException {
        Files.createDirectories(folder.resolve("objects/shards"));
        backend = new HoldingBackend(
                new FileBackendProvider().create("file", new FileBackendSettings(folder.resolve("objects"))));
        store(FILES.tar());
        open();
    }

    private void open() throws IOException {
        cache = CacheFixture.in(folder);
        gateway = TestGateway.builder()
                .cache(cache)
                .freshness(BucketViews.freshness(
                        FreshnessSettings.Mode.IMMUTABLE, Duration.ZERO, Duration.ZERO, Duration.ZERO))
                .bucket("shards", backend)
                .derived("samples", "shards", "**.tar", "")
                .start();
        client = SigningClient.of(gateway, TestGateway.ACCESS_KEY, TestGateway.SECRET_KEY);
    }

    @AfterEach
    void stop() {
        clients.shutdownNow();
        close();
        backend.close().block();
    }

    private void close() {
        gateway.close();
        cache.close();
    }

    private void restart() throws IOException {
        close();
        open();
        backend.requests.set(0);
    }

    private void store(byte[] tar) throws IOException {
        Path file = folder.resolve("objects/shards").resolve(SHARD);
        Files.createDirectories(file.getParent());
        Files.write(file, tar);
    }

    private static String target(String member) {
        return RawResponse.path("samples", SHARD + "/" + member);
    }

    private void assertServed(Response response, String member) {
        assertThat(response.status()).as(response.text()).isEqualTo(200);
        assertThat(response.bytes()).as(member).isEqualTo(FILES.files().get(member));
    }

    private CompletableFuture<Response> later(String member) {
        return CompletableFuture.supplyAsync(
                () -> {
                    try {
                        return client.get(target(member));
                    } catch (IOException e) {
                        throw new UncheckedIOException(e);
                    }
                },
                clients);
    }

    @Test
    void memberIsServedWhenItIsMet() throws IOException {
        Sinks.Empty<Void> rest = Sinks.empty();
        backend.gate = rest.asMono();

        CompletableFuture<Response> last = later("0199.jpg");
        CompletableFuture<Response> absent = later("absent");
        assertServed(client.get(target("0020.jpg")), "0020.jpg");
        // The pass is behind it already.
        assertServed(client.get(target("0003.jpg")), "0003.jpg");

        assertThat(last).isNotDone();
        assertThat(absent).isNotDone();
        rest.tryEmitEmpty();
        assertServed(last.join(), "0199.jpg");
        assertThat(absent.join().status()).isEqualTo(404);
    }

    @Test
    void hundredReadersShareOnePass() {
        Map<String, CompletableFuture<Response>> responses = new LinkedHashMap<>();
        for (int i = 0; i < 200; i += 2) {
            String member = "%04d.jpg".formatted(i);
            responses.put(member, later(member));
        }

        responses.forEach((member, response) -> assertServed(response.join(), member));

        assertThat(backend.bytes).hasValue(size());
    }

    /** What is known of an archive that never changes is all that asking again can say. */
    @Test
    void conditionThatDoesNotHoldIsAnsweredForArchivesThatNeverChange() throws IOException {
        String member = target("0150.jpg");
        assertServed(client.get(member), "0150.jpg");

        assertServed(client.ask("GET", member, Map.of("if-none-match", "\"other\"")), "0150.jpg");
        assertThat(client.ask("HEAD", member, Map.of("if-none-match", "\"other\""))
                        .status())
                .isEqualTo(200);
        assertServed(client.ask("GET", member, Map.of("if-range", "\"other\"", "range", "bytes=0-9")), "0150.jpg");
        assertThat(client.ask("GET", member, Map.of("if-match", "\"other\"")).status())
                .isEqualTo(412);
        String old = "Thu, 01 Jan 1970 00:00:01 GMT";
        assertThat(client.ask("GET", member, Map.of("if-unmodified-since", old)).status())
                .isEqualTo(412);
        Map<String, String> extract = Map.of("if-match", "\"other\"", "x-minio-extract", "true");
        String byArchive = RawResponse.path("shards", SHARD + "/0150.jpg");
        assertThat(client.ask("GET", byArchive, extract).status()).isEqualTo(412);
        assertServed(client.get(member), "0150.jpg");
    }

    private long size() {
        return folder.resolve("objects/shards").resolve(SHARD).toFile().length();
    }

    @Test
    void indexIsReadFromTheCacheAfterARestart() throws IOException {
        indexIsStored(FILES);

        restart();
        dropBlocksOfTheShard();

        Response head = client.head(target("0150.jpg"));
        assertThat(head.status()).isEqualTo(200);
        assertThat(head.headers()).containsEntry("content-length", "20000");
        assertThat(client.head(target("absent")).status()).isEqualTo(404);
        assertThat(backend.requests).hasValue(0);
        assertServed(client.get(target("0150.jpg")), "0150.jpg");
        assertThat(backend.requests).hasValueBetween(1, 2);
    }

    /** Reads a member, and waits until the index that this has made is in the cache. */
    private void indexIsStored(TestArchive files) throws IOException {
        String member = files.files().keySet().iterator().next();
        assertThat(client.get(target(member)).status()).isEqualTo(200);
        Polling.until("the index is stored", () -> {
            Optional<ObjectMetadata> index = found("~index:backend-0");
            return index.isPresent()
                    && cache.inventory().residentBytes(index.get())
                            == index.get().size()
                    && cache.administration().stats().fills() == 0;
        });
    }

    private static ObjectId id(String place) {
        return ObjectId.current(place, new ObjectRef(new BucketName("shards"), new ObjectKey(SHARD)));
    }

    private Optional<ObjectMetadata> found(String place) {
        return cache.reader().find(id(place)).blockOptional();
    }

    private void dropBlocksOfTheShard() {
        ObjectMetadata shard = found("backend-0").orElseThrow();
        for (long block = 0; block < shard.blocks(); block++) {
            cache.inventory().removeBlock(shard, block);
        }
    }

    @Test
    void indexThatIsNotWholeIsMadeAnew() throws IOException {
        indexIsStored(FILES);

        restart();
        dropBlocksOfTheShard();
        cache.inventory().removeBlock(found("~index:backend-0").orElseThrow(), 0);

        assertServed(client.get(target("0150.jpg")), "0150.jpg");
        assertThat(backend.requests).hasPositiveValue();
        indexIsStored(FILES);
    }

    @Test
    void whatIsNoIndexIsMadeAnew() throws IOException {
        indexIsStored(FILES);
        ObjectMetadata index = found("~index:backend-0").orElseThrow();
        cache.inventory().evict(index);
        byte[] other = new byte[(int) index.size()];
        cache.prefetcher()
                .fillWritten(
                        index.id(),
                        index.head().eTag().orElseThrow(),
                        List.of(Unpooled.wrappedBuffer(other)),
                        new KnownSource(index.head()))
                .block();
        Polling.until(
                "it is stored",
                () -> cache.inventory().residentBytes(found("~index:backend-0").orElseThrow()) == index.size());

        restart();

        assertServed(client.get(target("0150.jpg")), "0150.jpg");
        assertThat(client.head(target("absent")).status()).isEqualTo(404);
    }

    @Test
    void replacedShardHasAnotherIndex() throws IOException {
        indexIsStored(FILES);
        TestArchive other = files(".new");
        store(other.tar());
        cache.writeFence().invalidate(id("backend-0"));

        restart();

        assertThat(client.head(target("0007.jpg")).status()).isEqualTo(404);
        assertThat(client.get(target("0007.jpg.new")).bytes())
                .isEqualTo(other.files().get("0007.jpg.new"));
    }

    @Test
    void smallIndexesAreNotStored() throws IOException {
        TestArchive few = TestArchive.of("one", "two");
        store(few.tar());

        assertThat(client.get(target("one")).bytes()).isEqualTo(few.files().get("one"));
        assertThat(client.get(target("two")).bytes()).isEqualTo(few.files().get("two"));

        Polling.until("fills have ended", () -> cache.administration().stats().fills() == 0);
        assertThat(found("~index:backend-0")).isEmpty();
    }

    @Test
    void indexIsInNoListOfItsBucket() throws IOException {
        indexIsStored(FILES);

        ObjectPrefix bucket = new ObjectPrefix("backend-0", new BucketName("shards"), "");
        assertThat(cache.inventory().scan(bucket, Optional.empty()).toIterable())
                .extracting(ObjectMetadata::id)
                .containsExactly(id("backend-0"));
    }

    /** A source that has the metadata of an object, and no bytes. */
    private record KnownSource(ObjectHead known) implements ObjectSource {
        @Override
        public Mono<ObjectContent> open(ByteSelection selection) {
            return Mono.error(new BackendException(FailureKind.NO_SUCH_KEY, "there are no bytes"));
        }

        @Override
        public Mono<HeadResult> head() {
            return Mono.just(new HeadResult(known, Optional.empty()));
        }

        @Override
        public Flux<ByteBuf> fetch(ObjectVersion version, ByteRange range) {
            return Flux.error(new BackendException(FailureKind.NO_SUCH_KEY, "there are no bytes"));
        }
    }

    /** A backend that counts what is read of it, and holds back what follows the first block of an object. */
    private static final class HoldingBackend extends PassingBackend {
        private final AtomicInteger requests = new AtomicInteger();
        private final AtomicLong bytes = new AtomicLong();
        private volatile Mono<Void> gate = Mono.empty();

        HoldingBackend(Backend inner) {
            super(inner);
        }

        @Override
        public Mono<HeadResult> head(ReadRequest request) {
            return Mono.defer(() -> {
                requests.incrementAndGet();
                return inner.head(request);
            });
        }

        @Override
        public Mono<ObjectContent> open(ReadRequest request) {
            return Mono.defer(() -> {
                        requests.incrementAndGet();
                        return isHeld(request) ? gate.then(inner.open(request)) : inner.open(request);
                    })
                    .doOnNext(content -> bytes.addAndGet(content.length()));
        }

        private static boolean isHeld(ReadRequest request) {
            return request.selection() instanceof ByteSelection.RangeSelection range
                    && range.spec() instanceof RangeSpec.Bounded bounded
                    && bounded.first() >= BLOCK;
        }
    }
}
