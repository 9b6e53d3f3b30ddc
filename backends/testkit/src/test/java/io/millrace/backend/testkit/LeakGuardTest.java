package io.millrace.backend.testkit;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import org.junit.jupiter.api.Test;

/** The guard is what lets the contract say that nothing leaks; one that never barks would make that empty. */
class LeakGuardTest {
    @Test
    void lostBufferFailsTheClass() {
        LeakGuard.watch();
        loseOne();

        assertThatThrownBy(LeakGuard::check).isInstanceOf(AssertionError.class).hasMessageContaining("never released");
    }

    @Test
    void releasedBuffersAreFine() {
        LeakGuard.watch();
        ByteBuf buffer = ByteBufAllocator.DEFAULT.buffer(100);
        buffer.release();

        assertThatCode(LeakGuard::check).doesNotThrowAnyException();
    }

    private static void loseOne() {
        ByteBuf lost = ByteBufAllocator.DEFAULT.buffer(100);
        lost.writeByte(1);
    }
}
