package io.millrace.backend.azure;

import java.security.SecureRandom;
import java.time.InstantSource;
import java.util.concurrent.atomic.AtomicLong;

/** Issues the stamps of blocks: each later than all before in this process, and unlikely to be another process's. */
final class BlockStampGenerator {
    /** Of the 16 bits below the time, so that some follow within its millisecond. */
    private static final int RANDOM = 1 << 15;

    private final InstantSource clock;
    private final SecureRandom random = new SecureRandom();
    private final AtomicLong last = new AtomicLong();

    BlockStampGenerator(InstantSource clock) {
        this.clock = clock;
    }

    String next() {
        long now = BlockId.numberAt(clock.instant()) + random.nextInt(RANDOM);
        return BlockId.stamp(last.updateAndGet(before -> Math.max(before + 1, now)));
    }
}
