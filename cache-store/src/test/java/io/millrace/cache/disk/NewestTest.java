package io.millrace.cache.disk;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.cache.index.Entry;
import io.millrace.cache.index.Fingerprint;
import io.millrace.cache.index.Kind;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a newer record should have replaced is not found any more, wherever it lies by then. */
@Timeout(60)
class NewestTest {
    private static final int ROUNDS = 500;

    private final StoreParts parts = TestLog.parts();
    private final Newest newest = new Newest(parts);

    @Test
    void whatIsCopiedForwardMeanwhileIsTakenOutAllTheSame() {
        for (int i = 1; i <= ROUNDS; i++) {
            Fingerprint key = TestLog.key(i);
            Entry first = Entry.of(1, 0, 0, 0, Kind.HEAD);
            assertThat(parts.index().putIfAbsent(key, first)).isEqualTo(first);
            CompletableFuture<Void> moving = CompletableFuture.runAsync(() -> moveUntilGone(key, first));

            while (first.equals(parts.index().find(key))) {
                Thread.onSpinWait();
            }
            assertThat(newest.supersede(key, i)).isTrue();

            assertThat(moving).succeedsWithin(10, TimeUnit.SECONDS);
            assertThat(parts.index().find(key)).isNull();
        }
    }

    @Test
    void whatIsNotThereIsToldToBeSo() {
        assertThat(newest.supersede(TestLog.key(1), 1)).isFalse();
    }

    private void moveUntilGone(Fingerprint key, Entry first) {
        Entry from = first;
        for (int segment = 2; ; segment++) {
            Entry to = Entry.of(2 + segment % 1000, 0, 0, 0, Kind.HEAD);
            if (!parts.index().replace(key, from.place(), to)) {
                return;
            }
            from = to;
        }
    }
}
