package io.millrace.kit.async;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Hooks;
import reactor.core.publisher.Sinks;

/** A buffer that is given back twice is somebody else's by then, who sends wrong bytes to his client. */
class PacedFluxTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(20);

    /** The bytes that a second of the limit allows at once; each buffer after that waits for a millisecond. */
    private static final int BURST = 1000;

    private static final int PIECES = 6;

    private final RateLimiter limiter = RateLimiter.of(OptionalLong.of(BURST));
    private final Queue<ByteBuf> made = new ConcurrentLinkedQueue<>();
    private final Queue<Throwable> dropped = new ConcurrentLinkedQueue<>();
    private final ExecutorService threads = Executors.newFixedThreadPool(2);

    @BeforeEach
    void recordDroppedErrors() {
        Hooks.onErrorDropped(dropped::add);
        limiter.charge(BURST);
    }

    @AfterEach
    void eachBufferIsReleasedOnce() throws InterruptedException {
        threads.shutdown();
        assertThat(threads.awaitTermination(20, TimeUnit.SECONDS)).isTrue();
        awaitReleases();
        Hooks.resetOnErrorDropped();
        assertThat(dropped).isEmpty();
        assertThat(made).isNotEmpty().allMatch(piece -> piece.refCnt() == 1);
        made.forEach(ByteBuf::release);
    }

    /** Waits for a timer that is just passing a buffer on, for which a cancel does not wait. */
    private void awaitReleases() {
        long deadline = System.nanoTime() + TIMEOUT.toNanos();
        while (made.stream().anyMatch(piece -> piece.refCnt() > 1) && System.nanoTime() < deadline) {
            Thread.onSpinWait();
        }
    }

    @Test
    void buffersComeInOrderAtTheLimit() {
        long begun = System.nanoTime();

        List<Integer> sizes = paced(Flux.range(1, 20).map(this::piece))
                .map(piece -> {
                    int bytes = piece.readableBytes();
                    piece.release();
                    return bytes;
                })
                .collectList()
                .block(TIMEOUT);

        assertThat(sizes).containsExactlyElementsOf(Flux.range(1, 20).toIterable());
        // The last one waits for all before it, 190 bytes.
        assertThat(Duration.ofNanos(System.nanoTime() - begun)).isGreaterThanOrEqualTo(Duration.ofMillis(190));
    }

    @Test
    void onlyWhatIsWantedIsRequested() {
        AtomicInteger requested = new AtomicInteger();
        Reader reader = new Reader();
        paced(Flux.range(0, PIECES).map(this::piece).doOnRequest(n -> requested.addAndGet((int) n)))
                .subscribe(reader);
        assertThat(requested).hasValue(0);

        reader.request(2);
        reader.await(2);

        assertThat(requested).hasValue(2);
        assertThat(reader.received).hasValue(2);
        reader.cancel();
    }

    @Test
    void failureReleasesTheBufferThatWaits() {
        limiter.charge(1000L * BURST);
        Reader reader = new Reader();
        Sinks.Many<ByteBuf> source = Sinks.many().unicast().onBackpressureBuffer();
        paced(source.asFlux()).subscribe(reader);
        reader.request(5);
        source.tryEmitNext(piece(1));

        source.tryEmitError(new IllegalArgumentException("broken"));

        assertThat(reader.failure).hasMessage("broken");
        assertThat(reader.received).hasValue(0);
    }

    @Test
    void cancelReleasesTheBufferThatWaitsAtOnce() {
        limiter.charge(1000L * BURST);
        Reader reader = new Reader();
        paced(Flux.range(0, PIECES).map(this::piece)).subscribe(reader);
        reader.request(Long.MAX_VALUE);
        assertThat(made).hasSize(1);

        reader.cancel();

        assertThat(made).allMatch(piece -> piece.refCnt() == 1);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3, 4, 5})
    void cancelInsideEachBufferEndsTheBody(int step) {
        Reader reader = new Reader();
        reader.cancelAt = step + 1;
        paced(Flux.range(0, PIECES).map(this::piece)).subscribe(reader);

        reader.request(Long.MAX_VALUE);
        reader.await(step + 1);

        assertThat(reader.completed).isFalse();
    }

    /** The thread that cancels is neither the publisher's nor the timer's, as when a job stops or a client leaves. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3, 4, 5})
    void cancelByAnotherThreadAtEachStepReleasesEachBufferOnce(int step) throws InterruptedException {
        for (int round = 0; round < 150; round++) {
            Reader reader = new Reader();
            CountDownLatch ended = new CountDownLatch(1);
            paced(new OwnedPieces()).subscribe(reader);
            reader.request(Long.MAX_VALUE);
            threads.execute(() -> {
                reader.await(step);
                LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(1_200_000));
                reader.cancel();
                ended.countDown();
            });
            assertThat(ended.await(20, TimeUnit.SECONDS)).isTrue();
        }
    }

    /** As job bodies are paced: operators around it discard what they drop. */
    private Flux<ByteBuf> paced(Flux<ByteBuf> pieces) {
        return limiter.paced(pieces).doOnDiscard(ByteBuf.class, ByteBuf::release);
    }

    /** Returns a buffer that the test holds, too: one that is released twice is not the test's any more. */
    private ByteBuf piece(int bytes) {
        ByteBuf piece = Unpooled.buffer(bytes + 1).writeZero(bytes);
        made.add(piece.retain());
        return piece;
    }

    /** A publisher whose buffers are made on request, by a thread of its own. */
    private final class OwnedPieces extends Flux<ByteBuf> {
        @Override
        public void subscribe(CoreSubscriber<? super ByteBuf> to) {
            AtomicInteger emitted = new AtomicInteger();
            to.onSubscribe(new Subscription() {
                private volatile boolean isCancelled;

                @Override
                public void request(long n) {
                    threads.execute(() -> {
                        if (!isCancelled && emitted.get() < PIECES) {
                            to.onNext(piece(1));
                            if (emitted.incrementAndGet() == PIECES) {
                                to.onComplete();
                            }
                        }
                    });
                }

                @Override
                public void cancel() {
                    isCancelled = true;
                }
            });
        }
    }

    /** Counts and releases what it gets, also after its cancel. */
    private static final class Reader extends BaseSubscriber<ByteBuf> {
        final AtomicInteger received = new AtomicInteger();
        int cancelAt;
        volatile boolean completed;
        volatile @Nullable Throwable failure;

        @Override
        protected void hookOnSubscribe(Subscription subscription) {
            // Requests nothing by itself.
        }

        @Override
        protected void hookOnNext(ByteBuf piece) {
            piece.release();
            if (received.incrementAndGet() == cancelAt) {
                cancel();
            }
        }

        @Override
        protected void hookOnComplete() {
            completed = true;
        }

        @Override
        protected void hookOnError(Throwable error) {
            failure = error;
        }

        void await(int pieces) {
            long deadline = System.nanoTime() + TIMEOUT.toNanos();
            while (received.get() < pieces && System.nanoTime() < deadline) {
                Thread.onSpinWait();
            }
        }
    }
}
