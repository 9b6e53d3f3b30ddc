package io.millrace.cache.fill;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.testkit.BufferLeakExtension;
import io.millrace.cache.index.Fingerprint;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** Readers that arrive while bytes arrive are all notified, and none disturbs the run. */
@ExtendWith(BufferLeakExtension.class)
@Timeout(300)
class BlockFillTest {
    private static final int LENGTH = 600_000;

    /** Bytes that arrive before somebody has to wait for the next ones. */
    private static final int STEP = 500;

    @Test
    void notifiesEveryWaitingReader() {
        BlockFill block = block();
        AtomicInteger waited = new AtomicInteger();
        AtomicInteger heard = new AtomicInteger();
        CompletableFuture<Void> readers = CompletableFuture.runAsync(() -> {
            int at = block.filled();
            // Who waits behind the last byte hears nothing before the end.
            for (int i = 0; at < LENGTH; i++) {
                waited.incrementAndGet();
                block.onProgress(at, heard::incrementAndGet);
                for (int pause = i % 64; pause > 0; pause--) {
                    Thread.onSpinWait();
                }
                at = block.filled();
            }
        });
        ByteBuf piece = Unpooled.wrappedBuffer(new byte[LENGTH]);

        while (piece.isReadable()) {
            int before = waited.get();
            for (int i = 0; i < STEP; i++) {
                block.append(piece.readSlice(1));
            }
            // Otherwise all of it might have arrived before the readers' thread runs at all.
            while (piece.isReadable() && waited.get() == before && !readers.isDone()) {
                Thread.onSpinWait();
            }
        }

        readers.join();
        assertThat(waited.get()).isGreaterThan(1000);
        assertThat(heard.get()).isEqualTo(waited.get());
        block.release();
        assertThat(block.isReleased()).isTrue();
    }

    @SuppressWarnings("NullAway") // no run: nobody asks for it here
    private static BlockFill block() {
        return new BlockFill(new Fingerprint(1, 2), 0, LENGTH, null);
    }
}
