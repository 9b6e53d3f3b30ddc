package io.millrace.cache.fill;

import static io.millrace.backend.testkit.interleaving.InterleavingSearch.require;
import static io.millrace.backend.testkit.interleaving.InterleavingSearch.runConcurrently;
import static io.millrace.backend.testkit.interleaving.InterleavingSearch.runDelayedTasksAndWait;
import static io.millrace.backend.testkit.interleaving.InterleavingSearch.search;

import io.millrace.backend.spi.checksum.ChecksumAlgorithm;
import io.millrace.backend.spi.checksum.WholeObjectChecksum;
import io.millrace.backend.spi.object.ByteRange;
import io.millrace.backend.testkit.interleaving.InterleavingSearch;
import io.millrace.cache.async.CallerRunsTaskQueue;
import io.millrace.cache.disk.BlockStore;
import io.millrace.cache.disk.Stores;
import io.millrace.cache.index.Fingerprint;
import io.millrace.cache.index.FingerprintHash;
import io.millrace.cache.monitor.CacheEventListener;
import io.millrace.kit.share.Party;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.util.ReferenceCounted;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.reactivestreams.Subscription;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;

/**
 * Interleavings of readers that start, join and cancel fills that no disk takes: each byte is delivered once, and all
 * memory is released.
 */
class FillInterleavings {
    private static final int BLOCK = 4;
    private static final int SIZE = 6;

    @TempDir
    Path folder;

    private BlockStore store;

    @BeforeEach
    void open() throws IOException {
        store = Stores.withoutDisks(folder);
    }

    @Test
    void readersOfAFillMissNoByte() {
        search("block fill: its readers get each byte in order and are notified of more bytes or of its end", () -> {
            FillManager fills = fills(store, new FillMemoryBudget(100));
            BlockFill block =
                    new BlockFill(new Fingerprint(1, 2), 0, BLOCK, new AdjacentBlockFetch(version(), fills, false));
            Follower first = new Follower(block);
            Follower second = new Follower(block);
            runConcurrently(first::follow, second::follow, () -> {
                block.append(Unpooled.wrappedBuffer(new byte[] {0, 1, 2}));
                block.append(Unpooled.wrappedBuffer(new byte[] {3}));
                block.markUnstored();
            });
            require(first.at == BLOCK && second.at == BLOCK, "at " + first.at + " and " + second.at);
            require(block.isConsumed(), "nobody had it to its end");
            block.release();
            require(block.isReleased(), "it has not gone");
        });
    }

    @Test
    void settledBlockEndsItsReadersWithoutABadByte() {
        search("block fill: one that ends while it is read ends its readers and releases its memory once", () -> {
            FillMemoryBudget budget = new FillMemoryBudget(100);
            FillManager fills = fills(store, budget);
            BlockFill block =
                    new BlockFill(new Fingerprint(1, 2), 0, BLOCK, new AdjacentBlockFetch(version(), fills, false));
            block.holdMemory(budget.claim("aws", Party.GATEWAY, BLOCK, false, () -> {}));
            block.append(Unpooled.wrappedBuffer(new byte[] {0, 1}));
            Follower follower = new Follower(block);
            Runnable settle = () -> {
                block.fail(new IllegalStateException("gone"));
                block.release();
            };
            runConcurrently(follower::follow, settle, settle);
            require(follower.ended, "the reader waits for ever");
            require(budget.used() == 0, budget.used() + " bytes are gone");
        });
    }

    @Test
    void readersOfOneVersionShareItsFetch() {
        search("fills: readers of the same bytes share one fetch and get all of them", () -> {
            Fetched fetched = new Fetched(store);
            Reader first = new Reader(SIZE);
            Reader second = new Reader(SIZE);
            runConcurrently(
                    () -> fetched.fills
                            .read(fetched.version, new ByteRange(0, SIZE - 1), Optional.empty())
                            .subscribe(first),
                    () -> fetched.fills
                            .read(fetched.version, new ByteRange(0, SIZE - 1), Optional.empty())
                            .subscribe(second));
            first.check();
            second.check();
            require(fetched.bytes.get() == SIZE, fetched.bytes + " bytes were fetched");
            fetched.checkMemoryComesBack();
        });
    }

    @Test
    void readerWhoLeavesTakesNothingFromOthers() {
        search("fills: a reader that cancels takes no bytes from others and leaks no memory", () -> {
            Fetched fetched = new Fetched(store);
            Reader leaving = new Reader(1);
            Reader staying = new Reader(SIZE);
            runConcurrently(
                    () -> fetched.fills
                            .read(fetched.version, new ByteRange(0, SIZE - 1), Optional.empty())
                            .subscribe(leaving),
                    () -> fetched.fills
                            .read(fetched.version, new ByteRange(0, SIZE - 1), Optional.empty())
                            .subscribe(staying),
                    leaving::cancel);
            staying.check();
            fetched.checkMemoryComesBack();
        });
    }

    @Test
    void openedBodyIsReadOnceWhoeverComes() {
        search(
                "fills: the body that an object was opened with is read once or discarded, whoever comes or cancels",
                () -> {
                    Fetched fetched = new Fetched(store);
                    Reader reader = new Reader(SIZE);
                    runConcurrently(
                            () -> {
                                Flux<ByteBuf> body = fetched.fetch(new ByteRange(0, SIZE - 1));
                                if (fetched.fills
                                        .begin(
                                                fetched.version,
                                                body,
                                                new ByteRange(0, SIZE - 1),
                                                FillManager.Origin.FETCHED,
                                                0)
                                        .isEmpty()) {
                                    fetched.unused.incrementAndGet();
                                }
                            },
                            () -> fetched.fills
                                    .read(fetched.version, new ByteRange(0, SIZE - 1), Optional.empty())
                                    .subscribe(reader));
                    reader.check();
                    // Whichever came first, each block came once: the other stopped before it.
                    require(fetched.bytes.get() <= SIZE + BLOCK, fetched.bytes + " bytes were fetched");
                    fetched.checkMemoryComesBack();
                });
    }

    @Test
    void openingReaderGetsEachByteOnce() {
        search("fills: the reader that opened an object gets each byte once, also if another one cancels", () -> {
            Fetched fetched = new Fetched(store);
            ByteRange all = new ByteRange(0, SIZE - 1);
            // The body is read once this claim is released.
            FillMemoryBudget.Claim full = fetched.budget.claim("aws", Party.GATEWAY, 100, false, () -> {});
            OpeningFill opening = fetched.open(FillManager.Origin.FETCHED);
            Reader reader = new Reader(SIZE);
            Reader leaving = new Reader(1);
            runConcurrently(
                    full::release,
                    () -> fetched.fills
                            .read(fetched.version, all, Optional.of(opening))
                            .subscribe(reader),
                    () -> fetched.fills
                            .read(fetched.version, all, Optional.empty())
                            .subscribe(leaving));
            reader.check();
            fetched.checkMemoryComesBack();
        });
    }

    @Test
    void readerOfARefusedFetchAsksForNothingMore() {
        search("fills: a reader of a fetch that is refused is told so, and asks for no part of the object", () -> {
            Fetched fetched = Fetched.wrong(store);
            ByteRange all = new ByteRange(0, SIZE - 1);
            FillMemoryBudget.Claim full = fetched.budget.claim("aws", Party.GATEWAY, 100, false, () -> {});
            OpeningFill opening = fetched.open(FillManager.Origin.FETCHED);
            Reader reader = new Reader(SIZE);
            runConcurrently(
                    full::release,
                    () -> fetched.fills
                            .read(fetched.version, all, Optional.of(opening))
                            .subscribe(reader));
            require(!reader.ended && !reader.wrong.isEmpty(), "the reader is not told");
            fetched.checkOneRefusal();
        });
    }

    @Test
    void prefetchOfARefusedFetchAsksForNothingMore() {
        search("fills: a prefetch whose fetch is refused ends, and asks for no part of the object", () -> {
            AtomicInteger failures = new AtomicInteger();
            Fetched fetched = Fetched.wrong(store);
            ByteRange all = new ByteRange(0, SIZE - 1);
            FillMemoryBudget.Claim full = fetched.budget.claim("aws", Party.GATEWAY, 100, false, () -> {});
            OpeningFill opening = fetched.open(FillManager.Origin.PREFETCHED);
            runConcurrently(
                    full::release,
                    () -> fetched.fills
                            .prefetch(fetched.version, all, Optional.of(opening), (bytes, brought) -> {})
                            .subscribe(done -> {}, failure -> failures.incrementAndGet()));
            require(failures.get() == 1, failures + " failures");
            fetched.checkOneRefusal();
        });
    }

    @Test
    void unstoredBlocksAreReleased() {
        search("unstored blocks: a block that no disk takes is released when memory is short", () -> {
            AtomicInteger ended = new AtomicInteger();
            FillManager fills = fills(store, new FillMemoryBudget(100));
            FillMemoryBudget full = new FillMemoryBudget(1);
            full.claim("aws", Party.GATEWAY, 1, false, () -> {});
            full.claim("aws", Party.GATEWAY, 1, false, () -> {});
            UnstoredBlocks lingering = new UnstoredBlocks(full, block -> ended.incrementAndGet());
            AdjacentBlockFetch run = new AdjacentBlockFetch(version(), fills, false);
            BlockFill one = new BlockFill(new Fingerprint(1, 2), 0, BLOCK, run);
            BlockFill other = new BlockFill(new Fingerprint(1, 3), 0, BLOCK, run);
            lingering.add(one);
            runConcurrently(() -> lingering.add(other), InterleavingSearch::runDelayedTasks);
            runDelayedTasksAndWait();
            runDelayedTasksAndWait();
            require(ended.get() == 2, ended + " of 2 have ended");
        });
    }

    @Test
    void stepsRunInSequenceWithoutLoss() {
        search(
                "serial executor: tasks run one at a time, those of one caller in order, also after one that throws",
                () -> {
                    List<Integer> order = new ArrayList<>();
                    AtomicInteger running = new AtomicInteger();
                    AtomicInteger failures = new AtomicInteger();
                    CallerRunsTaskQueue serial = new CallerRunsTaskQueue(failure -> failures.incrementAndGet());
                    Runnable[] callers = new Runnable[3];
                    for (int i = 0; i < callers.length; i++) {
                        int first = 2 * i;
                        callers[i] = () -> {
                            serial.run(() -> step(running, order, first));
                            serial.run(() -> {
                                step(running, order, first + 1);
                                throw new IllegalStateException("a step that fails");
                            });
                        };
                    }
                    runConcurrently(callers);
                    require(order.size() == 6, order.size() + " of 6 steps ran");
                    require(failures.get() == 3, failures + " failures were told");
                    for (int first = 0; first < 6; first += 2) {
                        require(order.indexOf(first) < order.indexOf(first + 1), "out of order: " + order);
                    }
                });
    }

    private static void step(AtomicInteger running, List<Integer> order, int number) {
        require(running.incrementAndGet() == 1, "two steps at once");
        order.add(number);
        running.decrementAndGet();
    }

    private static FillManager fills(BlockStore store, FillMemoryBudget memory) {
        CacheEventListener none = CacheEventListener.NONE;
        return new FillManager(store, memory, new NonBlockingBlockReader(store, 0, none), none);
    }

    private static VersionFillSource version() {
        return new VersionFillSource(
                "aws",
                Party.GATEWAY,
                SourceTraits.BACKEND,
                new FingerprintHash(1, 2),
                new Fingerprint(3, 4),
                SIZE,
                BLOCK,
                range -> Flux.never(),
                noDrafts(),
                Optional::empty);
    }

    private static VersionFillSource.DraftFactory noDrafts() {
        return (key, number, body) -> {
            throw new IllegalArgumentException("no disk takes it");
        };
    }

    /** Follows a block as a cursor does, telling when there is nothing more to be had. */
    private static final class Follower {
        private final BlockFill block;
        private int at;
        private boolean ended;

        Follower(BlockFill block) {
            this.block = block;
        }

        synchronized void follow() {
            while (at < BLOCK && !ended) {
                ByteBuf piece = block.take(at, BLOCK);
                if (piece == null) {
                    if (block.failure() != null || block.isReleased()) {
                        ended = true;
                    } else {
                        block.onProgress(at, this::follow);
                        return;
                    }
                } else {
                    for (; piece.isReadable(); at++) {
                        require(piece.readByte() == at, "another byte at " + at);
                    }
                    piece.release();
                }
            }
        }
    }

    /** A backend that counts, fills, and a version of six bytes in two blocks. */
    private static final class Fetched {
        final FillMemoryBudget budget = new FillMemoryBudget(100);
        final FillManager fills;
        final VersionFillSource version;
        final AtomicInteger bytes = new AtomicInteger();
        final AtomicInteger unused = new AtomicInteger();
        final AtomicInteger mismatches = new AtomicInteger();

        Fetched(BlockStore store) {
            this(store, Optional.empty());
        }

        private Fetched(BlockStore store, Optional<WholeObjectChecksum> checksum) {
            fills = fills(store, budget);
            version = new VersionFillSource(
                    "aws",
                    Party.GATEWAY,
                    SourceTraits.BACKEND,
                    store.hash(),
                    new Fingerprint(3, 4),
                    SIZE,
                    BLOCK,
                    this::fetch,
                    FillInterleavings.noDrafts(),
                    () -> checksum.map(given -> new WholeObjectCheck(given, failure -> mismatches.incrementAndGet())));
        }

        /** One whose bytes do not have the checksum that its backend gives. */
        static Fetched wrong(BlockStore store) {
            return new Fetched(store, Optional.of(new WholeObjectChecksum(ChecksumAlgorithm.CRC32C, "AAAAAA==")));
        }

        /** Opens the whole object. */
        OpeningFill open(FillManager.Origin origin) {
            ByteRange all = new ByteRange(0, SIZE - 1);
            return fills.begin(version, fetch(all), all, origin, 0).orElseThrow();
        }

        /** Checks that all was fetched once, and refused. */
        void checkOneRefusal() {
            require(bytes.get() == SIZE, bytes + " bytes were fetched");
            require(mismatches.get() == 1, mismatches + " mismatches");
            checkMemoryComesBack();
        }

        /** Two pieces, the first of which is no block. */
        private Flux<ByteBuf> fetch(ByteRange range) {
            return Flux.<ByteBuf, Integer>generate(() -> (int) range.first(), (at, sink) -> {
                int end = (int) Math.min(range.last() + 1, at == 0 ? 3 : SIZE);
                byte[] piece = new byte[end - at];
                for (int i = 0; i < piece.length; i++) {
                    piece[i] = (byte) (at + i);
                }
                bytes.addAndGet(piece.length);
                sink.next(Unpooled.wrappedBuffer(piece));
                if (end == range.last() + 1) {
                    sink.complete();
                }
                return end;
            });
        }

        /** Somebody wants all of it: what nobody reads any more goes. */
        void checkMemoryComesBack() {
            AtomicInteger served = new AtomicInteger();
            FillMemoryBudget.Claim all = budget.claim("aws", Party.GATEWAY, 100, false, served::incrementAndGet);
            for (int i = 0; i < 4 && !all.isImmediate() && served.get() == 0; i++) {
                runDelayedTasksAndWait();
            }
            require(all.isImmediate() || served.get() == 1, budget.used() - 100 + " bytes are gone");
            require(fills.size() == 0, fills.size() + " blocks are under way");
        }
    }

    /** Reads so many bytes, and leaves if there are more. */
    private static final class Reader extends BaseSubscriber<ReferenceCounted> {
        private final int wanted;
        private int at;
        private boolean ended;
        private String wrong = "";

        Reader(int wanted) {
            this.wanted = wanted;
        }

        @Override
        protected void hookOnSubscribe(Subscription subscription) {
            request(1);
        }

        @Override
        protected void hookOnNext(ReferenceCounted piece) {
            ByteBuf bytes = (ByteBuf) piece;
            for (; bytes.isReadable(); at++) {
                if (bytes.readByte() != at) {
                    wrong = "another byte at " + at;
                }
            }
            piece.release();
            if (at < wanted) {
                request(1);
            } else if (wanted < SIZE) {
                cancel();
            } else {
                request(1);
            }
        }

        @Override
        protected void hookOnComplete() {
            ended = true;
        }

        @Override
        protected void hookOnError(Throwable failure) {
            wrong = failure.toString();
        }

        void check() {
            require(wrong.isEmpty(), wrong);
            require(ended && at == SIZE, "the reader is at " + at + " and waits");
        }
    }
}
