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
class WriteBufferTest {
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
        WriteBuffer held = WriteBuffer.of(8, released::incrementAndGet);
        held.add(piece);
        time.advanceTimeBy(WriteBuffer.TIMEOUT.minusMillis(1));
        assertThat(piece.refCnt()).isEqualTo(2);

        time.advanceTimeBy(WriteBuffer.TIMEOUT);

        assertThat(piece.refCnt()).isEqualTo(1);
        assertThat(released).hasValue(1);
        held.add(piece);
        assertThat(held.take()).isEmpty();
        held.release();
        assertThat(released).hasValue(1);
    }

    @Test
    void whatWasTakenInTimeIsTheTakers() {
        WriteBuffer held = WriteBuffer.of(4, released::incrementAndGet);
        held.add(piece);

        List<ByteBuf> taken = held.take().orElseThrow();
        time.advanceTimeBy(WriteBuffer.TIMEOUT.multipliedBy(2));

        assertThat(taken)
                .hasSize(1)
                .allSatisfy(part -> assertThat(part.readInt()).isEqualTo(7));
        assertThat(released).as("its room is kept until it is dropped").hasValue(0);
        taken.forEach(ByteBuf::release);
        held.release();
        assertThat(released).hasValue(1);
    }

    @Test
    void whatIsLetGoIsLetGoOnce() {
        WriteBuffer dropped = WriteBuffer.of(8, released::incrementAndGet);
        WriteBuffer cut = WriteBuffer.of(8, released::incrementAndGet);
        dropped.add(piece);
        cut.add(piece);

        dropped.release();
        assertThat(cut.take()).as("half a body").isEmpty();

        assertThat(released).hasValue(2);
        time.advanceTimeBy(WriteBuffer.TIMEOUT.multipliedBy(2));
        assertThat(released).hasValue(2);
    }

    @Test
    void anEmptyBodyIsNotHeldAndSetsNoTimer() {
        WriteBuffer empty = new WriteBufferBudget().reserve(0);

        assertThat(time.getScheduledTaskCount()).isZero();
        assertThat(empty.take()).isEmpty();
    }
}
