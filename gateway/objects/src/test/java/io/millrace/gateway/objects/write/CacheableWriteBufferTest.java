package io.millrace.gateway.objects.write;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import reactor.test.scheduler.VirtualTimeScheduler;

/** A buffered body holds memory for a bounded time, and not after its end. */
class CacheableWriteBufferTest {
    private final VirtualTimeScheduler time = VirtualTimeScheduler.getOrSet();
    private final AtomicInteger released = new AtomicInteger();
    private final ByteBuf piece = Unpooled.buffer().writeInt(7);

    @AfterEach
    void stop() {
        VirtualTimeScheduler.reset();
        assertThat(piece.release()).as("nobody else holds the piece").isTrue();
    }

    @Test
    void aBodyThatTakesLongIsLetGo() {
        CacheableWriteBuffer held = CacheableWriteBuffer.of(8, released::incrementAndGet);
        held.add(piece);
        time.advanceTimeBy(CacheableWriteBuffer.TIMEOUT.minusMillis(1));
        assertThat(piece.refCnt()).isEqualTo(2);

        time.advanceTimeBy(CacheableWriteBuffer.TIMEOUT);

        assertThat(piece.refCnt()).isEqualTo(1);
        assertThat(released).hasValue(1);
        held.add(piece);
        assertThat(held.take()).isEmpty();
        held.release();
        assertThat(released).hasValue(1);
    }

    @Test
    void takenBuffersBelongToTheTaker() {
        CacheableWriteBuffer held = CacheableWriteBuffer.of(4, released::incrementAndGet);
        held.add(piece);

        List<ByteBuf> taken = held.take().orElseThrow();
        time.advanceTimeBy(CacheableWriteBuffer.TIMEOUT.multipliedBy(2));

        assertThat(taken)
                .hasSize(1)
                .allSatisfy(part -> assertThat(part.readInt()).isEqualTo(7));
        assertThat(released).as("its room is kept until it is dropped").hasValue(0);
        taken.forEach(ByteBuf::release);
        held.release();
        assertThat(released).hasValue(1);
    }

    @Test
    void memoryThatIsUsedUpKeepsNoFurtherBody() {
        CacheableWriteBufferBudget budget = new CacheableWriteBufferBudget();
        CacheableWriteBuffer first = budget.reserve(CacheableWriteBufferBudget.MAX_BODY_BYTES);
        CacheableWriteBuffer second = budget.reserve(CacheableWriteBufferBudget.MAX_BODY_BYTES);

        budget.reserve(4).add(piece);
        assertThat(piece.refCnt()).isEqualTo(1);

        first.release();
        CacheableWriteBuffer later = budget.reserve(4);
        later.add(piece);
        assertThat(piece.refCnt()).isEqualTo(2);
        later.release();
        second.release();
    }

    @Test
    void refusedBodiesUseNoMemory() {
        CacheableWriteBufferBudget budget = new CacheableWriteBufferBudget();
        CacheableWriteBuffer first = budget.reserve(CacheableWriteBufferBudget.MAX_BODY_BYTES);
        CacheableWriteBuffer second = budget.reserve(CacheableWriteBufferBudget.MAX_BODY_BYTES);
        for (int i = 0; i < 10; i++) {
            budget.reserve(CacheableWriteBufferBudget.MAX_BODY_BYTES).add(piece);
        }
        assertThat(piece.refCnt()).isEqualTo(1);
        first.release();

        CacheableWriteBuffer later = budget.reserve(CacheableWriteBufferBudget.MAX_BODY_BYTES);
        later.add(piece);
        assertThat(piece.refCnt()).isEqualTo(2);
        later.release();
        second.release();
    }

    @Test
    void releasesOnce() {
        CacheableWriteBuffer dropped = CacheableWriteBuffer.of(8, released::incrementAndGet);
        CacheableWriteBuffer cut = CacheableWriteBuffer.of(8, released::incrementAndGet);
        dropped.add(piece);
        cut.add(piece);

        dropped.release();
        assertThat(cut.take()).as("half a body").isEmpty();

        assertThat(released).hasValue(2);
        time.advanceTimeBy(CacheableWriteBuffer.TIMEOUT.multipliedBy(2));
        assertThat(released).hasValue(2);
    }

    @Test
    void largeBodyIsNotBuffered() {
        CacheableWriteBuffer large =
                new CacheableWriteBufferBudget().reserve(CacheableWriteBufferBudget.MAX_BODY_BYTES + 1);

        large.add(piece);

        assertThat(piece.refCnt()).isEqualTo(1);
    }

    @Test
    void emptyBodyIsNotBuffered() {
        CacheableWriteBuffer empty = new CacheableWriteBufferBudget().reserve(0);

        assertThat(time.getScheduledTaskCount()).isZero();
        assertThat(empty.take()).isEmpty();
    }
}
