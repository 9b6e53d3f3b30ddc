package io.millrace.backend.s3;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.spi.Backend;
import io.millrace.backend.spi.UploadBody;
import io.millrace.backend.testkit.Polling;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.buffer.UnpooledDirectByteBuf;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
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
    void hundredUploadsToAServerThatStopsHoldLittle() throws IOException {
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
        Polling.until("all have come", () -> origin().requests().size() == UPLOADS);
        // Until then a piece a time is made and taken; what counts is what waits when nothing is taken any more.
        Polling.until("more than a piece each waits", () -> held.get() > UPLOADS * (long) LARGE_PIECE);
        Polling.untilStill(Duration.ofMillis(500), made::get);

        assertThat(most.get()).isLessThanOrEqualTo(UPLOADS * MOST);
        writes.dispose();
        go.countDown();
        Polling.until("all is released", () -> held.get() == 0);
    }

    /** With one at a time, each would wake two threads for itself. */
    @Test
    void requestsThePieceAfterTheOneInFlight() throws IOException {
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
