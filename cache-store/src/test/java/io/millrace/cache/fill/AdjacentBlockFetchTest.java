package io.millrace.cache.fill;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.checksum.ChecksumAlgorithm;
import io.millrace.backend.spi.checksum.WholeObjectChecksum;
import io.millrace.backend.spi.object.ByteRange;
import io.millrace.backend.testkit.BufferLeakExtension;
import io.millrace.backend.testkit.Polling;
import io.millrace.cache.disk.BlockStore;
import io.millrace.cache.disk.Stores;
import io.millrace.cache.index.Fingerprint;
import io.millrace.cache.monitor.CacheEventListener;
import io.millrace.kit.share.Party;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscriber;
import org.reactivestreams.Subscription;
import reactor.core.publisher.Flux;

/** However a run ends, each of its buffers is released once, and its memory comes back. */
@ExtendWith(BufferLeakExtension.class)
@Timeout(300)
class AdjacentBlockFetchTest {
    private static final int BLOCK = 4;
    private static final int SIZE = 7;
    private static final ByteRange ALL = new ByteRange(0, SIZE - 1);

    @TempDir
    Path folder;

    private final FillMemoryBudget budget = new FillMemoryBudget(8);
    private final List<ByteRange> requested = new CopyOnWriteArrayList<>();
    private final List<Body> bodies = new CopyOnWriteArrayList<>();
    private final Body opened = new Body();
    private Optional<WholeObjectCheck> check = Optional.empty();
    private BlockStore store;
    private FillManager fills;

    @BeforeEach
    void open() throws IOException {
        store = Stores.withoutDisks(folder);
        CacheEventListener none = CacheEventListener.NONE;
        fills = new FillManager(store, budget, new NonBlockingBlockReader(store, 0, none), none);
    }

    @AfterEach
    void memoryComesBack() {
        AtomicBoolean granted = new AtomicBoolean();
        FillMemoryBudget.Claim all = budget.claim("third", Party.GATEWAY, 8, false, () -> granted.set(true));
        Polling.until("all memory is free", () -> all.isImmediate() || granted.get());
        all.release();
        assertThat(budget.used()).isZero();
        assertThat(fills.size()).isZero();
        store.close();
    }

    @Test
    void buffersOfACompleteRunAreReleased() {
        begin();
        ByteBuf first = opened.brings(3);
        ByteBuf last = opened.brings(4);

        assertThat(first.refCnt()).isZero();
        assertThat(last.refCnt()).isZero();
        assertThat(opened.requests).as("its end is read").hasValue(3);
        assertThat(opened.cancelled).isFalse();
    }

    @Test
    void bytesAfterTheLastBlockAreReleasedAndCancelTheResponse() {
        begin();
        ByteBuf more = opened.brings(SIZE + 1);
        ByteBuf late = opened.brings(1);

        assertThat(more.refCnt()).isZero();
        assertThat(late.refCnt()).isZero();
        assertThat(opened.cancelled).isTrue();
    }

    /** A timer that would release them later may never come. */
    @Test
    void blocksThatNoDiskTakesAreReleasedAtTheClose() {
        begin();
        opened.brings(BLOCK);
        fills.close();
        opened.brings(SIZE - BLOCK);

        assertThat(fills.size()).isZero();
        assertThat(budget.used()).isZero();
    }

    @Test
    void bytesLeftOverAreStoredWhenTheirMemoryIsGranted() {
        ShortMemory memory = beginShortOfMemory();
        ByteBuf piece = opened.brings(6);
        assertThat(piece.refCnt()).isOne();
        assertThat(opened.requests).as("nothing more is requested").hasValue(1);

        memory.release();

        Polling.until("it goes on", () -> opened.requests.get() == 2);
        assertThat(piece.refCnt()).isZero();
        assertThat(opened.brings(1).refCnt()).isZero();
    }

    @Test
    void failureReleasesBytesLeftOver() {
        ShortMemory memory = beginShortOfMemory();
        ByteBuf piece = opened.brings(6);

        opened.fails(new IllegalStateException("for good"));

        assertThat(piece.refCnt()).isZero();
        assertThat(requested).isEmpty();
        memory.release();
    }

    @Test
    void responseThatBreaksOffBeforeMemoryIsGrantedIsFollowedByARequestForTheRest() {
        ShortMemory memory = beginShortOfMemory();
        ByteBuf piece = opened.brings(6);
        opened.fails(new BackendException(FailureKind.UNAVAILABLE, "cut"));
        assertThat(piece.refCnt()).isOne();

        memory.release();

        Polling.until("the rest is requested", this::isRequestedAgain);
        assertThat(piece.refCnt()).isZero();
        assertThat(requested).containsExactly(new ByteRange(6, 6));
        assertThat(bodies.get(0).brings(1).refCnt()).isZero();
    }

    @Test
    void responseThatBreaksOffIsFollowedByARequestForTheRest() {
        begin();
        ByteBuf piece = opened.brings(5);
        opened.fails(new BackendException(FailureKind.UNAVAILABLE, "cut"));

        Polling.until("the rest is requested", this::isRequestedAgain);
        ByteBuf late = opened.brings(1);
        assertThat(requested).containsExactly(new ByteRange(5, 6));
        assertThat(bodies.get(0).brings(2).refCnt()).isZero();
        assertThat(piece.refCnt()).isZero();
        assertThat(late.refCnt()).as("of the one that broke off").isZero();
    }

    @Test
    void bufferThatDoesNotHaveTheChecksumIsReleased() {
        AtomicInteger mismatches = new AtomicInteger();
        check = Optional.of(new WholeObjectCheck(
                new WholeObjectChecksum(ChecksumAlgorithm.CRC32C, "AAAAAA=="),
                failure -> mismatches.incrementAndGet()));
        OpeningFill fill = begin();
        ByteBuf first = opened.brings(5);
        ByteBuf last = opened.brings(2);

        assertThat(first.refCnt()).isZero();
        assertThat(last.refCnt()).isZero();
        assertThat(mismatches).hasValue(1);
        assertThat(fill.run().refusal()).isNotNull();
        assertThat(opened.cancelled).isTrue();
    }

    @Test
    void runThatItsSourceFindsWrongIsRefused() {
        OpeningFill fill = begin();
        ByteBuf piece = opened.brings(5);

        opened.fails(new WrongContentException(new BackendException(FailureKind.INVALID_STATE, "not the object's")));

        assertThat(piece.refCnt()).isZero();
        assertThat(fill.run().refusal()).hasMessage("not the object's");
        assertThat(requested).as("nothing is tried again").isEmpty();
    }

    @Test
    void sequentialSourceGetsMemoryWhenItsFirstBytesAreThere() {
        FillMemoryBudget.Claim other = budget.claim("other", Party.GATEWAY, 8, false, () -> {});
        startSequential();
        assertThat(bodies).as("it is asked without memory").hasSize(1);

        ByteBuf first = bodies.get(0).brings(3);

        assertThat(first.refCnt()).as("it waits for memory").isOne();
        assertThat(bodies.get(0).requests).hasValue(1);
        other.release();
        Polling.until("it goes on", () -> bodies.get(0).requests.get() == 2);
        assertThat(first.refCnt()).isZero();
        assertThat(bodies.get(0).brings(4).refCnt()).isZero();
    }

    @Test
    void sequentialSourceThatBringsNothingHoldsNoMemory() {
        AdjacentBlockFetch run = startSequential();

        assertThat(budget.used()).isZero();

        run.leave();
        Polling.until("it is given up without a reader", () -> bodies.get(0).cancelled);
    }

    /** What it has brought keeps others waiting. */
    @Test
    void openedPrefetchOfASequentialSourceTakesTheMemoryOfReaders() {
        FillMemoryBudget.Claim prefetched = budget.claim("other", Party.GATEWAY, 1, true, () -> {});

        OpeningFill fill = begin(SourceTraits.MADE, FillManager.Origin.PREFETCHED);

        assertThat(opened.requests)
                .as("half of the memory is too little for a prefetch")
                .hasValue(1);
        assertThat(fill.run().isStoringRequested()).isTrue();
        opened.fails(new IllegalStateException("for good"));
        prefetched.release();
    }

    @Test
    void failureReleasesTheFirstBytesOfASequentialSource() {
        FillMemoryBudget.Claim other = budget.claim("other", Party.GATEWAY, 8, false, () -> {});
        startSequential();
        ByteBuf first = bodies.get(0).brings(3);

        bodies.get(0).fails(new IllegalStateException("for good"));

        assertThat(first.refCnt()).isZero();
        other.release();
    }

    /** Its reader may be slow, and what it does not find costs the whole object again. */
    @Test
    void sequentialRunThatGoesFarAheadIsStoredWhateverIsAdmitted() {
        int block = 1 << 20;
        VersionFillSource large = version(SourceTraits.MADE, FillManager.FIRST_BYTES + 1, block);

        AdjacentBlockFetch tail = Objects.requireNonNull(fills.start(large, 1, 1, false));
        assertThat(tail.isStoringRequested()).isFalse();
        bodies.get(0).fails(new IllegalStateException("for good"));
        AdjacentBlockFetch whole = Objects.requireNonNull(fills.start(large, 0, 0, false));
        assertThat(whole.isStoringRequested()).isTrue();
        bodies.get(1).fails(new IllegalStateException("for good"));
    }

    /** Each request there costs the processors of both. */
    @Test
    void requestToAnotherGatewayIsForMoreThanOneToABackend() {
        int block = 1 << 20;
        long size = 2L * FillManager.FIRST_BYTES;
        for (SourceTraits source : List.of(SourceTraits.BACKEND, SourceTraits.PEER)) {
            assertThat(fills.start(version(source, size, block), 0, size / block - 1, false))
                    .isNotNull();
            bodies.get(bodies.size() - 1).fails(new IllegalStateException("for good"));
        }

        assertThat(requested)
                .containsExactly(
                        new ByteRange(0, FillManager.RUN_BYTES - 1), new ByteRange(0, FillManager.FIRST_BYTES - 1));
    }

    private AdjacentBlockFetch startSequential() {
        return Objects.requireNonNull(fills.start(version(SourceTraits.MADE), 0, 0, false));
    }

    private OpeningFill begin() {
        return begin(SourceTraits.BACKEND, FillManager.Origin.FETCHED);
    }

    private OpeningFill begin(SourceTraits traits, FillManager.Origin origin) {
        OpeningFill fill = fills.begin(version(traits), Flux.from(opened), ALL, origin, System.nanoTime())
                .orElseThrow();
        // Otherwise a slow machine would end the run, which nobody reads.
        fill.run().join();
        return fill;
    }

    private VersionFillSource version(SourceTraits traits) {
        return version(traits, SIZE, BLOCK);
    }

    private VersionFillSource version(SourceTraits traits, long size, int blockSize) {
        return new VersionFillSource(
                "aws",
                Party.GATEWAY,
                traits,
                store.hash(),
                new Fingerprint(3, 4),
                size,
                blockSize,
                this::fetch,
                (key, number, body) -> {
                    throw new IllegalArgumentException("no disk takes it");
                },
                () -> check);
    }

    private boolean isRequestedAgain() {
        return bodies.size() == 1 && bodies.get(0).requests.get() == 1;
    }

    private Flux<ByteBuf> fetch(ByteRange range) {
        Body body = new Body();
        requested.add(range);
        bodies.add(body);
        return Flux.from(body);
    }

    /** Begins a run whose second block waits for memory until that is released. */
    private ShortMemory beginShortOfMemory() {
        ShortMemory memory = new ShortMemory();
        begin();
        memory.fill();
        return memory;
    }

    /** The memory of another backend, which leaves room for the first block of a run alone. */
    private final class ShortMemory {
        private final AtomicBoolean granted = new AtomicBoolean();
        private final FillMemoryBudget.Claim before = budget.claim("other", Party.GATEWAY, 1, false, () -> {});
        private final List<FillMemoryBudget.Claim> beside = new ArrayList<>();

        void fill() {
            beside.add(budget.claim("other", Party.GATEWAY, 3, false, () -> {}));
            // Gets the memory of the first block when that is given up.
            beside.add(budget.claim("other", Party.GATEWAY, 4, false, () -> granted.set(true)));
            assertThat(beside).extracting(FillMemoryBudget.Claim::isImmediate).containsExactly(true, false);
        }

        void release() {
            before.release();
            beside.get(0).release();
            Polling.until("the other one has its memory", granted::get);
            beside.get(1).release();
        }
    }

    /** The body of a response, whose buffers come when the test says so. */
    private static final class Body implements Publisher<ByteBuf>, Subscription {
        private final AtomicInteger requests = new AtomicInteger();
        private volatile boolean cancelled;
        private volatile @Nullable Subscriber<? super ByteBuf> subscriber;

        @Override
        public void subscribe(Subscriber<? super ByteBuf> reader) {
            subscriber = reader;
            reader.onSubscribe(this);
        }

        /** Returns the buffer that it has brought. */
        ByteBuf brings(int bytes) {
            ByteBuf piece = Unpooled.wrappedBuffer(new byte[bytes]);
            Objects.requireNonNull(subscriber).onNext(piece);
            return piece;
        }

        void fails(Throwable failure) {
            Objects.requireNonNull(subscriber).onError(failure);
        }

        @Override
        public void request(long more) {
            requests.incrementAndGet();
        }

        @Override
        public void cancel() {
            cancelled = true;
        }
    }
}
