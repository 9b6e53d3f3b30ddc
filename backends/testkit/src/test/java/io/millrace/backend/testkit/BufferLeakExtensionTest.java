package io.millrace.backend.testkit;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import org.junit.jupiter.api.Test;

/** A buffer that was not released fails the check. */
class BufferLeakExtensionTest {
    @Test
    void lostBufferFailsTheClass() {
        BufferLeakExtension.watch();
        loseOne();

        assertThatThrownBy(() -> BufferLeakExtension.check("of this test"))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("never released");
    }

    @Test
    void releasedBuffersAreFine() {
        BufferLeakExtension.watch();
        ByteBuf buffer = ByteBufAllocator.DEFAULT.buffer(100);
        buffer.release();

        assertThatCode(() -> BufferLeakExtension.check("of this test")).doesNotThrowAnyException();
    }

    private static void loseOne() {
        ByteBuf lost = ByteBufAllocator.DEFAULT.buffer(100);
        lost.writeByte(1);
    }
}
