package io.millrace.cache.fill;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.testkit.BufferLeakExtension;
import io.millrace.cache.index.Fingerprint;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The memory tier returns right bytes or none, within its memory, and frees all of it. */
@ExtendWith(BufferLeakExtension.class)
class MemoryTierTest {
    private static final int BLOCK = 1000;
    private static final long PLACE = 7;

    @Test
    void blockThatIsOfferedOftenIsFound() {
        try (MemoryTier tier = new MemoryTier(100_000)) {
            offer(tier, 1, 500);

            ByteBuf found = read(tier, 1, 10, 20);

            assertThat(found).isNotNull();
            assertThat(found.readableBytes()).isEqualTo(20);
            assertThat(found.getByte(found.readerIndex())).isEqualTo((byte) 1);
            found.release();
            assertThat(read(tier, 2, 10, 20)).isNull();
        }
    }

    @Test
    void copyOfARecordThatIsGoneIsNotFound() {
        try (MemoryTier tier = new MemoryTier(100_000)) {
            offer(tier, 1, 500);

            assertThat(tier.read(new Fingerprint(1, 1), PLACE + 1, 0, BLOCK)).isNull();
        }
    }

    @Test
    void storesNothingWithoutMemory() {
        try (MemoryTier tier = new MemoryTier(0)) {
            offer(tier, 1, 500);

            assertThat(read(tier, 1, 0, BLOCK)).isNull();
        }
    }

    @Test
    void evictedBlockIsReadToItsEnd() {
        List<ByteBuf> held = new ArrayList<>();
        try (MemoryTier tier = new MemoryTier(10_000)) {
            for (int i = 0; i < 200; i++) {
                offer(tier, i, 100);
                ByteBuf found = read(tier, i, 0, BLOCK);
                if (found != null) {
                    held.add(found);
                }
            }
            assertThat(IntStream.range(0, 200).filter(i -> isKept(tier, i)).count())
                    .isBetween(1L, 10L);
        }
        assertThat(held).isNotEmpty();
        for (ByteBuf bytes : held) {
            byte first = bytes.getByte(0);
            bytes.forEachByte(b -> {
                assertThat(b).isEqualTo(first);
                return true;
            });
            bytes.release();
        }
    }

    @Test
    void concurrentReadersGetRightBytes() throws InterruptedException {
        AtomicInteger wrong = new AtomicInteger();
        AtomicInteger found = new AtomicInteger();
        try (MemoryTier tier = new MemoryTier(20_000)) {
            List<Thread> threads = IntStream.range(0, 4)
                    .mapToObj(t -> new Thread(() -> {
                        for (int i = 0; i < 50_000; i++) {
                            int block = ThreadLocalRandom.current().nextInt(50);
                            ByteBuf bytes = read(tier, block, 0, BLOCK);
                            if (bytes == null) {
                                offer(tier, block, 1);
                            } else {
                                found.incrementAndGet();
                                boolean right =
                                        bytes.getByte(0) == (byte) block && bytes.getByte(BLOCK - 1) == (byte) block;
                                wrong.addAndGet(right ? 0 : 1);
                                bytes.release();
                            }
                        }
                    }))
                    .toList();
            threads.forEach(Thread::start);
            for (Thread thread : threads) {
                thread.join();
            }
        }
        assertThat(wrong).hasValue(0);
        assertThat(found.get()).isPositive();
    }

    private static boolean isKept(MemoryTier tier, int block) {
        ByteBuf found = read(tier, block, 0, 1);
        if (found != null) {
            found.release();
        }
        return found != null;
    }

    private static @Nullable ByteBuf read(MemoryTier tier, int block, int offset, int bytes) {
        return tier.read(new Fingerprint(block, block), PLACE, offset, bytes);
    }

    private static void offer(MemoryTier tier, int block, int times) {
        byte[] content = new byte[BLOCK];
        Arrays.fill(content, (byte) block);
        ByteBuf bytes = Unpooled.wrappedBuffer(content);
        for (int i = 0; i < times; i++) {
            tier.offer(new Fingerprint(block, block), PLACE, bytes);
        }
        assertThat(bytes.readerIndex()).isZero();
        bytes.release();
    }
}
