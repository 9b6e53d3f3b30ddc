package io.millrace.cache.fill;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.millrace.cache.index.Fingerprint;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.util.IllegalReferenceCountException;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/**
 * Keeps copies of what is read often, small blocks and small slices of larger ones, in a bounded amount of memory
 * outside the heap. A copy counts for the record that it was read from: once that is removed, perhaps because a disk
 * has damaged it, nobody gets its copy. Thread-safe.
 */
final class MemoryTier implements AutoCloseable {
    /**
     * One of so many reads that find no copy makes one, because most blocks are not read often enough to pay for it.
     */
    private static final int SAMPLING = 16;

    /** The memory of an entry besides its bytes, about. */
    private static final int OVERHEAD = 256;

    private final Cache<Fingerprint, Copy> copies;

    /** @param place of the record with these bytes, as the index has it */
    private record Copy(long place, ByteBuf bytes) {}

    /** @param bytes the most memory that copies take; none are made for 0 */
    MemoryTier(long bytes) {
        this.copies = Caffeine.newBuilder()
                .maximumWeight(bytes)
                .weigher((Fingerprint key, Copy copy) -> copy.bytes().capacity() + OVERHEAD)
                .executor(Runnable::run)
                .removalListener((key, copy, cause) -> {
                    if (copy != null) {
                        copy.bytes().release();
                    }
                })
                .build();
    }

    /**
     * Returns bytes of a copy; null if there is none. The caller owns the buffer.
     *
     * @param key of the block, or of a slice of it
     * @param place of the block's record now
     */
    @Nullable ByteBuf read(Fingerprint key, long place, int offset, int bytes) {
        Copy copy = copies.getIfPresent(key);
        if (copy == null || copy.place() != place) {
            return null;
        }
        try {
            return copy.bytes().retainedSlice(offset, bytes);
        } catch (IllegalReferenceCountException evictedMeanwhile) {
            return null;
        }
    }

    /**
     * Copies the whole content of a block or a slice that was just read, if the sample chooses it. The caller still
     * owns {@code content}.
     */
    void offer(Fingerprint key, long place, ByteBuf content) {
        if (ThreadLocalRandom.current().nextInt(SAMPLING) == 0) {
            try {
                // Not pooled: a reader may still hold the buffer object when its copy is evicted, and a pool would give
                // it
                // to others.
                ByteBuf copy = UnpooledByteBufAllocator.DEFAULT.directBuffer(content.readableBytes());
                copies.put(
                        key, new Copy(place, copy.writeBytes(content, content.readerIndex(), content.readableBytes())));
            } catch (OutOfMemoryError full) {
                // The read itself has succeeded.
            }
        }
    }

    @Override
    public void close() {
        copies.invalidateAll();
    }
}
