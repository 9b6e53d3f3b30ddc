package io.millrace.gateway.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.testkit.BufferLeakExtension;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Hooks;
import reactor.core.scheduler.Schedulers;

/** A block that is released while it is written takes the bytes of whoever has its memory then. */
@ExtendWith(BufferLeakExtension.class)
class FixedSizeBlockAssemblerTest {
    private static final int SIZE = FixedSizeBlockAssembler.SIZE;

    private final Queue<Throwable> dropped = new ConcurrentLinkedQueue<>();
    private final Queue<ByteBuf> made = new ConcurrentLinkedQueue<>();

    @BeforeEach
    void recordDroppedErrors() {
        Hooks.onErrorDropped(dropped::add);
    }

    @AfterEach
    void eachBufferIsReleasedOnce() {
        Hooks.resetOnErrorDropped();
        checkBuffers();
    }

    private void checkBuffers() {
        assertThat(dropped).isEmpty();
        assertThat(made).allMatch(piece -> piece.refCnt() == 1);
        made.forEach(ByteBuf::release);
        made.clear();
    }

    @Test
    void buffersBecomeBlocksOfOneSize() {
        assertThat(sizes(3, SIZE / 2 + 1)).containsExactly(SIZE, SIZE / 2 + 3);
        assertThat(sizes(4, SIZE / 2)).containsExactly(SIZE, SIZE);
    }

    @Test
    void emptyStreamIsOneEmptyBlock() {
        assertThat(sizes(0, 1)).containsExactly(0);
    }

    /** As when a job stops while its server sends. */
    @Test
    void cancelByAnotherThreadReleasesEachBufferOnce() throws Exception {
        ExecutorService sender = Executors.newSingleThreadExecutor();
        for (int round = 0; round < 300; round++) {
            CountDownLatch arriving = new CountDownLatch(1);
            Flux<ByteBuf> endless = Flux.<ByteBuf>generate(sink -> sink.next(piece(FixedSizeBlockAssembler.PIECE)))
                    .doOnNext(piece -> arriving.countDown())
                    .subscribeOn(Schedulers.fromExecutor(task -> sender.execute(task)));
            Disposable reading = FixedSizeBlockAssembler.of(endless).subscribe(ByteBuf::release);
            assertThat(arriving.await(20, TimeUnit.SECONDS)).isTrue();
            LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(200_000));

            reading.dispose();

            sender.submit(() -> {}).get(20, TimeUnit.SECONDS);
            checkBuffers();
        }
        sender.shutdown();
    }

    private List<Integer> sizes(int pieces, int bytes) {
        List<Integer> sizes = new ArrayList<>();
        FixedSizeBlockAssembler.of(Flux.range(0, pieces).map(i -> piece(bytes)))
                .doOnNext(block -> sizes.add(block.readableBytes()))
                .doOnNext(ByteBuf::release)
                .blockLast();
        return sizes;
    }

    /** Returns a buffer that the test holds, too: one that is released twice is not the test's any more. */
    private ByteBuf piece(int bytes) {
        ByteBuf piece = Unpooled.buffer(bytes + 1).writeZero(bytes);
        made.add(piece.retain());
        return piece;
    }
}
