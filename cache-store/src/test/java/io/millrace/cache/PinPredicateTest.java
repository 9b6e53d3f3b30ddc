package io.millrace.cache;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.testkit.BufferLeakExtension;
import io.millrace.cache.metadata.ObjectId;
import io.netty.util.ReferenceCounted;
import java.nio.file.Path;
import java.time.Duration;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Pinned objects stay cached while others are evicted, up to half of each disk. */
@ExtendWith(BufferLeakExtension.class)
class PinPredicateTest {
    private static final int MIB = 1 << 20;

    @TempDir
    Path folder;

    private TestCache test;

    @BeforeEach
    void open() {
        test = new TestCache(folder, "32MiB", "32MiB");
    }

    @AfterEach
    void close() {
        test.close();
    }

    @Test
    void pinnedBlocksOutliveSeveralTurnovers() {
        keep(key -> key.startsWith("kept"));
        test.bring("kept-", 8, MIB);
        test.bring("kept-small-", 50, 4096);

        test.bring("other-", 150, MIB);

        assertThat(test.resident("kept-", 8)).isEqualTo(8L * MIB);
        assertThat(test.resident("kept-small-", 50)).isEqualTo(50 * 4096);
        assertThat(test.resident("other-", 150)).isPositive();
    }

    @Test
    void unpinnedBlocksAreEvicted() {
        keep(key -> key.startsWith("kept"));
        test.bring("kept-", 8, MIB);
        test.bring("other-", 60, MIB);

        test.cache().inventory().pin(PinPredicate.NONE);
        test.bring("more-", 60, MIB);

        assertThat(test.resident("kept-", 8)).isZero();
    }

    @Test
    void pinsHoldAtMostHalfOfADisk() {
        keep(key -> key.startsWith("kept"));

        test.bring("kept-", 60, MIB);
        test.bring("other-", 100, MIB);

        assertThat(test.resident("kept-", 60)).isBetween(6L * MIB, 17L * MIB);
        assertThat(test.resident("other-", 100)).isPositive();
        assertThat(test.cache().administration().stats().used()).isLessThanOrEqualTo(40L * MIB);
    }

    @Test
    void afterARestartItIsStillThere() {
        keep(key -> key.startsWith("kept"));
        test.bring("kept-", 8, MIB);
        test.bring("other-", 60, MIB);

        test.close();
        test = new TestCache(folder, "32MiB", "32MiB");
        keep(key -> key.startsWith("kept"));
        test.bring("more-", 100, MIB);

        assertThat(test.resident("kept-", 8)).isEqualTo(8L * MIB);
    }

    @Test
    void pinnedBlocksBypassTheAdmissionThreshold() {
        test.bring("other-", 60, MIB);
        keep(key -> key.startsWith("kept"));

        for (int i = 0; i < 4; i++) {
            test.read("kept-" + i, FaultyObjectSource.sound("kept-" + i, MIB))
                    .doOnNext(ReferenceCounted::release)
                    .blockLast(Duration.ofSeconds(60));
            test.read("newcomer-" + i, FaultyObjectSource.sound("newcomer-" + i, MIB))
                    .doOnNext(ReferenceCounted::release)
                    .blockLast(Duration.ofSeconds(60));
        }
        test.awaitIdle();

        assertThat(test.resident("kept-", 4)).isEqualTo(4L * MIB);
    }

    private void keep(Predicate<String> keys) {
        test.cache().inventory().pin(new PinPredicate() {
            @Override
            public boolean isEmpty() {
                return false;
            }

            @Override
            public boolean isPinned(ObjectId id) {
                return keys.test(id.object().key().value());
            }
        });
    }
}
