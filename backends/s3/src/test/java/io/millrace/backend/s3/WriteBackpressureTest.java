package io.millrace.backend.s3;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.spi.Backend;
import io.millrace.backend.spi.UploadBody;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.buffer.UnpooledDirectByteBuf;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Tests the backpressure of writes: little of a body is in memory while the server is slow. */
class WriteBackpressureTest extends ScriptedServerWriteTest {
    private static final int UPLOADS = 100;
    private static final int LARGE_PIECE = 64 << 10;
    private static final long LENGTH = 1L << 30;
    private static final long MOST = 256 << 10;

    private final AtomicLong made = new AtomicLong();
    private final AtomicLong held = new AtomicLong();
    private final AtomicLong most = new AtomicLong();

    @Test
    void hundredUploadsToAServerThatStopsHoldLittle() throws IOException, InterruptedException {
        CountDownLatch go = new CountDownLatch(1);
        Backend backend = backend(
                (request, wire) -> {
                    wire.take(PIECE);
                    go.await();
                    wire.close();
                },
                UPLOADS,
                PATIENCE,
                PATIENCE);

        Disposable writes = Flux.range(0, UPLOADS)
                .flatMap(
                        i -> backend.put(object("k" + i), UploadBody.of(LENGTH, pieces()))
                                .onErrorResume(failure -> Mono.empty()),
                        UPLOADS)
                .subscribe();
        long before = -1;
        while (made.get() != before || origin().requests().size() < UPLOADS) {
            before = made.get();
            Thread.sleep(500);
        }

        // Until then a piece a time is made and taken; what counts is what waits when nothing is taken any more.
        assertThat(held.get()).isGreaterThan(UPLOADS * (long) LARGE_PIECE);
        assertThat(most.get()).isLessThanOrEqualTo(UPLOADS * MOST);
        writes.dispose();
        go.countDown();
        Awaitility.await()
                .pollInterval(Duration.ofMillis(50))
                .atMost(Duration.ofSeconds(20))
                .until(() -> held.get() == 0);
        assertThat(held).hasValue(0);
    }

    /** With one at a time, each would wake two threads for itself. */
    @Test
    void aPieceIsRequestedWhileAnotherIsOnItsWay() throws IOException {
        Backend backend = backend((request, wire) -> {
            wire.take(request);
            acknowledge(wire);
        });
        AtomicLong requested = new AtomicLong();
        AtomicLong inAdvance = new AtomicLong();
        byte[] bytes = new byte[100 * PIECE];

        await(put(
                backend,
                UploadBody.of(
                        bytes.length,
                        pieces(bytes, new AtomicInteger())
                                .doOnNext(piece -> inAdvance.accumulateAndGet(requested.decrementAndGet(), Math::max))
                                .doOnRequest(requested::addAndGet))));

        assertThat(inAdvance).hasPositiveValue();
    }

    /** Pieces that are counted until they are released. */
    private Flux<ByteBuf> pieces() {
        return Flux.generate(sink -> {
            made.incrementAndGet();
            long now = held.addAndGet(LARGE_PIECE);
            most.accumulateAndGet(now, Math::max);
            sink.next(new Piece().writeZero(LARGE_PIECE));
        });
    }

    private final class Piece extends UnpooledDirectByteBuf {
        Piece() {
            super(UnpooledByteBufAllocator.DEFAULT, LARGE_PIECE, LARGE_PIECE);
        }

        @Override
        protected void deallocate() {
            held.addAndGet(-LARGE_PIECE);
            super.deallocate();
        }
    }
}
