package io.millrace.gateway.objects.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.spi.HeadResult;
import io.millrace.backend.spi.ObjectContent;
import io.millrace.backend.spi.ReadRequest.ByteSelection;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.ByteRange;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.backend.spi.object.ObjectVersion;
import io.millrace.backend.testkit.BufferLeakExtension;
import io.millrace.backend.testkit.Polling;
import io.millrace.cache.BlockCache;
import io.millrace.cache.ObjectSource;
import io.millrace.cache.fill.SourceTraits;
import io.millrace.cache.metadata.ObjectId;
import io.millrace.cache.metadata.ObjectMetadata;
import io.millrace.cache.metadata.OwnershipHash;
import io.millrace.cache.monitor.CacheEventListener;
import io.millrace.gateway.objects.bucket.BucketView;
import io.millrace.gateway.objects.bucket.BucketViews;
import io.millrace.gateway.objects.testkit.CacheFixture;
import io.millrace.gateway.testkit.TestGateway;
import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/**
 * A source that is no backend, such as another gateway, can have half of the objects: one class and one line of the
 * wiring.
 */
@ExtendWith(BufferLeakExtension.class)
class ObjectSourceFactoryTest {
    private static final int SIZE = 3 << 20;

    @TempDir
    Path folder;

    private final ComputedBackend own = new ComputedBackend();
    private final ComputedBackend far = new ComputedBackend();
    private final BucketView farBucket = BucketViews.of("bucket", far, "bucket", "");
    private final Sinks.Empty<Void> gate = Sinks.empty();
    private final CountingListener events = new CountingListener();
    private final HttpClient client = HttpClient.newHttpClient();
    private BlockCache cache;
    private TestGateway gateway;

    @BeforeEach
    void start() throws IOException {
        cache = CacheFixture.in(folder, events);
        gateway = TestGateway.builder()
                .cache(cache)
                .sources((bucket, id, tier) ->
                        isOwnedByPeer(id) ? new PeerSource(id) : ObjectSourceFactory.BACKENDS.create(bucket, id, tier))
                .bucket("bucket", own, "", "read")
                .start();
    }

    @AfterEach
    void stop() {
        gateway.close();
        cache.close();
    }

    @Test
    void readersShareAFetchThatIsNeitherStoredNorABackends() {
        String key = keyOf(true);
        List<CompletableFuture<HttpResponse<byte[]>>> readers =
                IntStream.range(0, 8).mapToObj(i -> read(key)).toList();
        Polling.until("the others follow the first", () -> events.collapsed.get() == 7);
        gate.tryEmitEmpty().orThrow();

        assertThat(readers)
                .allSatisfy(reader -> assertThat(reader.join().body()).isEqualTo(far.bytes(key, 0, SIZE)));
        assertThat(far.sent()).isEqualTo(SIZE);
        assertThat(own.asked()).isEmpty();
        assertThat(events.fetches).hasValue(0);
        assertThat(events.fetched).hasValue(0);
        awaitIdle();
        assertThat(residentBytes(key)).isZero();
    }

    @Test
    void otherObjectsComeFromTheirBackend() {
        String key = keyOf(false);

        assertThat(read(key).join().body()).isEqualTo(own.bytes(key, 0, SIZE));

        assertThat(far.asked()).isEmpty();
        assertThat(events.fetches).hasPositiveValue();
        assertThat(events.fetched).hasValue(SIZE);
        awaitIdle();
        assertThat(residentBytes(key)).isEqualTo(SIZE);
    }

    private void awaitIdle() {
        Polling.until("fills have ended", () -> cache.administration().stats().fills() == 0);
    }

    private long residentBytes(String key) {
        ObjectMetadata metadata =
                Objects.requireNonNull(cache.reader().find(object(key)).block());
        return cache.inventory().residentBytes(metadata);
    }

    private CompletableFuture<HttpResponse<byte[]>> read(String key) {
        URI uri = gateway.endpoint().resolve("/bucket/" + key);
        return client.sendAsync(HttpRequest.newBuilder(uri).build(), BodyHandlers.ofByteArray());
    }

    private static boolean isOwnedByPeer(ObjectId id) {
        return Math.floorMod(OwnershipHash.of(id.backend(), id.object()), 2) == 1;
    }

    private static ObjectId object(String key) {
        return ObjectId.current("backend-0", new ObjectRef(new BucketName("bucket"), new ObjectKey(key)));
    }

    private static String keyOf(boolean peers) {
        return IntStream.range(0, 100)
                .mapToObj(number -> "object-%d/%d".formatted(number, SIZE))
                .filter(key -> isOwnedByPeer(object(key)) == peers)
                .findFirst()
                .orElseThrow();
    }

    private static final class CountingListener implements CacheEventListener {
        private final AtomicInteger fetches = new AtomicInteger();
        private final AtomicLong fetched = new AtomicLong();
        private final AtomicInteger collapsed = new AtomicInteger();

        @Override
        public void fetch() {
            fetches.incrementAndGet();
        }

        @Override
        public void fetched(long bytes) {
            fetched.addAndGet(bytes);
        }

        @Override
        public void collapsed() {
            collapsed.incrementAndGet();
        }
    }

    /** Another gateway, whose bodies begin when the gate opens. */
    private final class PeerSource implements ObjectSource {
        private final ObjectSource there;

        PeerSource(ObjectId id) {
            there = ObjectSourceFactory.BACKENDS.create(farBucket, id);
        }

        @Override
        public SourceTraits traits() {
            return new SourceTraits(SourceTraits.Storing.NEVER, SourceTraits.Place.PEER, false);
        }

        @Override
        public Mono<ObjectContent> open(ByteSelection selection) {
            return there.open(selection)
                    .map(content -> new ObjectContent(
                            content.head(), content.range(), gate.asMono().thenMany(content.body())));
        }

        @Override
        public Mono<HeadResult> head() {
            return there.head();
        }

        @Override
        public Flux<ByteBuf> fetch(ObjectVersion version, ByteRange range) {
            return gate.asMono().thenMany(there.fetch(version, range));
        }
    }
}
