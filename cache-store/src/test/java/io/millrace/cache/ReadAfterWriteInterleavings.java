package io.millrace.cache;

import static io.millrace.backend.testkit.interleaving.InterleavingSearch.require;
import static io.millrace.backend.testkit.interleaving.InterleavingSearch.runConcurrently;
import static io.millrace.backend.testkit.interleaving.InterleavingSearch.runDelayedTasksAndWait;
import static io.millrace.backend.testkit.interleaving.InterleavingSearch.search;

import io.millrace.backend.spi.HeadResult;
import io.millrace.backend.spi.ObjectContent;
import io.millrace.backend.spi.ReadRequest.ByteSelection;
import io.millrace.backend.spi.object.ByteRange;
import io.millrace.backend.spi.object.ObjectVersion;
import io.millrace.cache.disk.BlockStore;
import io.millrace.cache.eviction.AdmissionAndEvictionPolicy;
import io.millrace.cache.metadata.InterleavedMetadata;
import io.millrace.cache.metadata.MetadataCache;
import io.millrace.cache.metadata.ObjectId;
import io.millrace.cache.metadata.ObjectMetadata;
import io.millrace.cache.metadata.ObjectPrefix;
import io.millrace.cache.monitor.CacheEventListener;
import io.millrace.cache.settings.CacheSettings;
import io.millrace.cache.settings.CacheSettingsFixture;
import io.millrace.config.DataSize;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Every read sees all acknowledged writes: interleavings of a whole cache without a disk, its writes and the backend's
 * responses.
 */
class ReadAfterWriteInterleavings {
    private static final ObjectId ID = TestCache.id("key");
    private static final ObjectPrefix BELOW =
            new ObjectPrefix(ID.backend(), ID.object().bucket(), "k");
    private static final CacheSettings SETTINGS = CacheSettingsFixture.of(
            DataSize.parse("256KiB"), DataSize.parse("4MiB"), DataSize.parse("1MiB"), List.of());

    private static final ObjectMetadata OLDER = NumberedContents.cached(ID, NumberedContents.head(1));

    @TempDir
    Path folder;

    private BlockStore store;

    @BeforeEach
    void open() throws IOException {
        store = BlockStore.open(
                SETTINGS, folder, AdmissionAndEvictionPolicy.frequency(1 << 16), CacheEventListener.NONE);
        store.disks().recover();
        loadRocksDb();
    }

    /** Outside the search: a schedule has half a minute, and one that is given up may hold a class's lock forever. */
    private void loadRocksDb() {
        try (InterleavedMetadata metadata = InterleavedMetadata.in(folder, store.hash())) {
            metadata.store(OLDER);
        }
    }

    @Test
    void revalidatedHeadIsNotOlderThanAWrite() {
        search("metadata: no response to a request from before a write is cached after it", () -> {
            Played played = new Played(cache -> object -> cache.reader().revalidate(ID, false, object));
            runConcurrently(played::read, played::read, played::write);
            played.read();
            played.check();
        });
    }

    @Test
    void invalidatedHeadIsRequestedAgain() {
        search("metadata: after an invalidation nothing requested before it is cached", () -> {
            Played played = new Played(cache -> object -> cache.reader().revalidate(ID, true, object));
            runConcurrently(played::read, played::read, () -> {
                played.now.set(2);
                played.cache.writeFence().invalidate(ID);
                played.acknowledged.set(2);
            });
            played.read();
            played.check();
        });
    }

    @Test
    void openedObjectIsNotOlderThanAWrite() {
        search("metadata: no opening restores what a write has replaced", () -> {
            Played played = new Played(cache -> object -> cache.reader()
                    .open(ID, new ByteSelection.WholeObject(), object)
                    .map(opened -> ((UncachedOpenResult.Cached) opened).metadata()));
            runConcurrently(played::read, played::write);
            played.read();
            runDelayedTasksAndWait();
            played.check();
        });
    }

    @Test
    void storedMetadataIsNotOlderThanAWrite() {
        search("metadata: after a write nothing older is found in the store", () -> {
            Played played = new Played(cache -> object -> cache.reader().revalidate(ID, false, object));
            played.metadata.store(NumberedContents.cached(ID, NumberedContents.head(1)));
            runConcurrently(played::read, played::read, played::write);
            played.read();
            played.check();
        });
    }

    @Test
    void earlierResponseIsNotStoredAfterAWrite() {
        search("metadata: no response to a request from before a write is stored after it", () -> {
            Played played = new Played(cache -> object -> cache.reader().revalidate(ID, false, object));
            runConcurrently(played::read, played.metadata::storeWaiting, played::write);
            played.read();
            played.check();
        });
    }

    @Test
    void earlierResponseIsNotPublishedAfterPrefixInvalidation() {
        search("metadata: after the invalidation of a prefix no older response is cached or stored", () -> {
            Forgotten forgotten = new Forgotten();
            long epoch = forgotten.cache.writeEpoch(ID);
            runConcurrently(
                    () -> forgotten.cache.publish(OLDER, epoch),
                    forgotten.metadata::storeWaiting,
                    forgotten::forgetPrefix);
            forgotten.check();
        });
    }

    @Test
    void storedMetadataIsNotPublishedAfterPrefixInvalidation() {
        search("metadata: after the invalidation of a prefix nothing older is read from the store", () -> {
            Forgotten forgotten = new Forgotten();
            forgotten.metadata.store(OLDER);
            runConcurrently(() -> forgotten.cache.find(ID).subscribe(), forgotten::forgetPrefix);
            forgotten.check();
        });
    }

    @Test
    void storedMetadataIsNotPublishedAfterNotFound() {
        search("metadata: after a 404 nothing older is read from the store", () -> {
            Forgotten forgotten = new Forgotten();
            forgotten.metadata.store(OLDER);
            runConcurrently(() -> forgotten.cache.find(ID).subscribe(), () -> forgotten.cache.invalidateMissing(ID));
            forgotten.check();
        });
    }

    /** Something older of one object, and its invalidation. */
    private final class Forgotten {
        final InterleavedMetadata metadata = InterleavedMetadata.in(folder, store.hash());
        final MetadataCache cache = metadata.cache();
        private boolean ended = true;
        private boolean known;

        void forgetPrefix() {
            ended = false;
            cache.invalidate(BELOW).subscribe(none -> {}, failure -> {}, () -> {
                ended = true;
                known = cache.inMemory(ID).isPresent();
            });
        }

        void check() {
            require(ended, "the invalidation did not end");
            require(!known, "it is known right behind the invalidation");
            require(cache.inMemory(ID).isEmpty(), "it is known when both have ended");
            metadata.storeWaiting();
            metadata.afterARestart().find(ID).subscribe(found -> known = true);
            require(!known, "it is known after a restart");
            metadata.close();
        }
    }

    /** One object and its cache. */
    private final class Played implements ObjectSource {
        final InterleavedMetadata metadata = InterleavedMetadata.in(folder, store.hash());
        final BlockCache cache;
        final AtomicInteger now = new AtomicInteger(1);
        final AtomicInteger acknowledged = new AtomicInteger(1);
        private final Function<ObjectSource, Mono<ObjectMetadata>> ask;
        private final AtomicInteger begun = new AtomicInteger();
        private final AtomicInteger ended = new AtomicInteger();
        private String wrong = "";

        Played(Function<BlockCache, Function<ObjectSource, Mono<ObjectMetadata>>> ask) {
            this.cache =
                    new BlockCache(SETTINGS, store, metadata.cache(), CacheEventListener.NONE, InstantSource.system());
            this.ask = ask.apply(cache);
        }

        void read() {
            int floor = acknowledged.get();
            begun.incrementAndGet();
            cache.reader()
                    .find(ID)
                    .switchIfEmpty(Mono.defer(() -> ask.apply(this)))
                    .subscribe(head -> compare(floor, head));
        }

        void write() {
            cache.writeFence().beginWrite(ID).subscribe(none -> {}, failure -> wrong(failure.toString()), () -> {
                now.set(2);
                cache.writeFence().endWrite(ID, true);
                acknowledged.set(2);
            });
        }

        void check() {
            require(wrong.isEmpty(), wrong);
            require(acknowledged.get() == 2, "the write did not end");
            require(ended.get() == begun.get(), ended + " of " + begun + " reads have ended");
            metadata.storeWaiting();
            metadata.afterARestart().find(ID).subscribe(found -> {
                if (NumberedContents.number(found) < acknowledged.get()) {
                    wrong("content %d is known after a restart".formatted(NumberedContents.number(found)));
                }
            });
            require(wrong.isEmpty(), wrong);
            metadata.close();
        }

        private void compare(int floor, ObjectMetadata head) {
            int seen = NumberedContents.number(head);
            if (seen < floor) {
                wrong("saw %d, but %d had been acknowledged".formatted(seen, floor));
            }
            ended.incrementAndGet();
        }

        private synchronized void wrong(String what) {
            wrong = what;
        }

        @Override
        public Mono<ObjectContent> open(ByteSelection selection) {
            return Mono.fromCallable(() -> new ObjectContent(
                    NumberedContents.head(now.get()),
                    Optional.empty(),
                    Flux.just(Unpooled.wrappedBuffer(new byte[NumberedContents.SIZE]))));
        }

        @Override
        public Mono<HeadResult> head() {
            return Mono.fromCallable(() -> new HeadResult(NumberedContents.head(now.get()), Optional.empty()));
        }

        @Override
        public Flux<ByteBuf> fetch(ObjectVersion version, ByteRange range) {
            return Flux.error(new IllegalStateException("nobody reads bytes here"));
        }
    }
}
