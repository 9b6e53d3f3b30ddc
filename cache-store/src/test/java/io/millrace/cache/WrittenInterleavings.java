package io.millrace.cache;

import static io.millrace.backend.testkit.Schedules.atOnce;
import static io.millrace.backend.testkit.Schedules.passTime;
import static io.millrace.backend.testkit.Schedules.require;
import static io.millrace.backend.testkit.Schedules.search;

import io.millrace.backend.spi.ByteRange;
import io.millrace.backend.spi.ObjectContent;
import io.millrace.backend.spi.ObjectVersion;
import io.millrace.backend.spi.ReadRequest.Selection;
import io.millrace.backend.spi.SelectedHead;
import io.millrace.cache.disk.BlockStore;
import io.millrace.cache.eviction.EvictionPolicy;
import io.millrace.cache.metadata.ObjectId;
import io.millrace.cache.metadata.ObjectMetadata;
import io.millrace.cache.metadata.ObjectPrefix;
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
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** What was acknowledged is what every later read sees: a whole cache without a disk, its writes and its answers. */
class WrittenInterleavings {
    private static final ObjectId ID = TestCache.id("key");
    private static final ObjectPrefix BELOW =
            new ObjectPrefix(ID.backend(), ID.object().bucket(), "k");
    private static final CacheSettings SETTINGS =
            new CacheSettings(DataSize.parse("256KiB"), DataSize.parse("4MiB"), DataSize.parse("1MiB"), List.of());

    @TempDir
    Path folder;

    private BlockStore store;
    private Invalidations invalidations;

    @BeforeEach
    void open() throws IOException {
        store = BlockStore.open(SETTINGS, folder, EvictionPolicy.frequency(1 << 16), CacheRecorder.NONE);
        store.recover();
        invalidations = Invalidations.open(folder, store.hadInvalidations(), store.nextSequence());
    }

    @AfterEach
    void close() {
        invalidations.close();
    }

    @Test
    void revalidatedHeadIsNotOlderThanAWrite() {
        search("heads: no answer to an older question is taken for known behind a write", () -> {
            Played played = new Played(cache -> object -> cache.revalidate(ID, false, object));
            atOnce(played::read, played::read, played::write);
            played.read();
            played.check();
        });
    }

    @Test
    void invalidatedHeadIsAskedForAgain() {
        search("heads: behind somebody's word nothing is known that was asked before", () -> {
            Played played = new Played(cache -> object -> cache.revalidate(ID, true, object));
            atOnce(played::read, played::read, () -> {
                played.now.set(2);
                played.cache.invalidate(ID);
                played.acknowledged.set(2);
            });
            played.read();
            played.check();
        });
    }

    @Test
    void openedObjectIsNotOlderThanAWrite() {
        search("heads: no opening brings back what a write has replaced", () -> {
            Played played = new Played(cache -> object ->
                    cache.open(ID, new Selection.Whole(), object).map(opened -> ((Opened.Known) opened).head()));
            atOnce(played::read, played::write);
            played.read();
            passTime();
            played.check();
        });
    }

    @Test
    void answerIsNotKnownBehindAnInvalidationOfItsPrefix() {
        search(
                "heads: behind the invalidation of a prefix no older answer is known",
                () -> noOlderOne(KnownHeads::put));
    }

    @Test
    void headOfADiskIsNotKnownBehindAnInvalidationOfItsPrefix() {
        search(
                "heads: behind the invalidation of a prefix no head is known that a disk had",
                () -> noOlderOne((heads, head, generation) -> {
                    heads.remember(head, generation);
                    return false;
                }));
    }

    private interface Insertion {
        boolean insert(KnownHeads heads, ObjectMetadata head, long generation);
    }

    private void noOlderOne(Insertion insertion) {
        KnownHeads heads = new KnownHeads(store, new HeadCodec(store.hash()), invalidations);
        ObjectMetadata older = Contents.cached(ID, Contents.head(1));
        long generation = heads.generation(ID);
        boolean[] known = new boolean[1];
        atOnce(() -> insertion.insert(heads, older, generation), () -> {
            heads.doubt(BELOW);
            known[0] = heads.inMemory(ID).isPresent();
        });
        require(!known[0], "it is known right behind the invalidation");
        require(heads.inMemory(ID).isEmpty(), "it is known when both have ended");
    }

    /** One object and its cache. */
    private final class Played implements ObjectSource {
        final BlockCache cache;
        final AtomicInteger now = new AtomicInteger(1);
        final AtomicInteger acknowledged = new AtomicInteger(1);
        private final Function<ObjectSource, Mono<ObjectMetadata>> ask;
        private final AtomicInteger begun = new AtomicInteger();
        private final AtomicInteger ended = new AtomicInteger();
        private String wrong = "";

        Played(Function<BlockCache, Function<ObjectSource, Mono<ObjectMetadata>>> ask) {
            this.cache = new BlockCache(SETTINGS, store, invalidations, CacheRecorder.NONE, InstantSource.system());
            this.ask = ask.apply(cache);
        }

        void read() {
            int floor = acknowledged.get();
            begun.incrementAndGet();
            cache.find(ID).switchIfEmpty(Mono.defer(() -> ask.apply(this))).subscribe(head -> compare(floor, head));
        }

        void write() {
            cache.beginWrite(ID).subscribe(none -> {}, failure -> wrong(failure.toString()), () -> {
                now.set(2);
                cache.endWrite(ID, true);
                acknowledged.set(2);
            });
        }

        void check() {
            require(wrong.isEmpty(), wrong);
            require(acknowledged.get() == 2, "the write did not end");
            require(ended.get() == begun.get(), ended + " of " + begun + " reads have ended");
        }

        private void compare(int floor, ObjectMetadata head) {
            int seen = Contents.number(head);
            if (seen < floor) {
                wrong("saw %d, but %d had been acknowledged".formatted(seen, floor));
            }
            ended.incrementAndGet();
        }

        private synchronized void wrong(String what) {
            wrong = what;
        }

        @Override
        public Mono<ObjectContent> open(Selection selection) {
            return Mono.fromCallable(() -> new ObjectContent(
                    Contents.head(now.get()),
                    Optional.empty(),
                    Flux.just(Unpooled.wrappedBuffer(new byte[Contents.SIZE]))));
        }

        @Override
        public Mono<SelectedHead> head() {
            return Mono.fromCallable(() -> new SelectedHead(Contents.head(now.get()), Optional.empty()));
        }

        @Override
        public Flux<ByteBuf> fetch(ObjectVersion version, ByteRange range) {
            return Flux.error(new IllegalStateException("nobody reads bytes here"));
        }
    }
}
