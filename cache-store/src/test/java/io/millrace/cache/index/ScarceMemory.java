package io.millrace.cache.index;

import java.nio.ByteBuffer;
import java.time.Duration;

/** Direct memory of a JVM that has none left when a test says so, and a clock that a test moves. */
public final class ScarceMemory {
    private boolean usedUp;
    private int attempts;
    private long now;

    /** An index that takes up to so many bytes of it. */
    public BlockIndex index(long maxBytes) {
        return new BlockIndex(maxBytes, IndexChangeListener.NONE, this::allocate, () -> now);
    }

    /** From now on there is none, or some again. */
    public void usedUp(boolean isUsedUp) {
        usedUp = isUsedUp;
    }

    /** How often some was wanted while there was none. */
    public int attempts() {
        return attempts;
    }

    /** Lets time pass. */
    public void passes(Duration time) {
        now += time.toNanos();
    }

    private ByteBuffer allocate(int bytes) {
        if (usedUp) {
            attempts++;
            throw new OutOfMemoryError("Cannot reserve direct buffer memory");
        }
        return ByteBuffer.allocateDirect(bytes);
    }
}
