package io.millrace.cache.fill;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/**
 * An interrupted request does not end a read that makes progress, and a server that cuts every response is not retried
 * forever.
 */
class FetchResumePolicyTest {
    private long now = Long.MAX_VALUE - 1;
    private final FetchResumePolicy tries = new FetchResumePolicy(() -> now);

    @Test
    void triesThatBringAPageEachHaveNoEnd() {
        for (int i = 0; i < 10_000; i++) {
            assertThat(after(FetchResumePolicy.PROGRESS_BYTES)).contains(Duration.ofMillis(100));
        }
    }

    @Test
    void fruitlessRetriesBackOffAndEnd() {
        List<Long> pauses = new ArrayList<>();
        Optional<Duration> pause = after(1000);
        while (pause.isPresent()) {
            pauses.add(pause.get().toMillis());
            pause = after(1000);
        }

        assertThat(pauses).containsExactly(200L, 400L, 800L, 1600L, 1600L, 1600L, 1600L);
    }

    @Test
    void triesThatBringNothingEndSooner() {
        assertThat(after(0)).isPresent();
        assertThat(after(0)).isPresent();
        assertThat(after(0)).isEmpty();
    }

    @Test
    void doesNotRetryAfterALongSilence() {
        now += FetchResumePolicy.MAX_SILENCE.toNanos();
        assertThat(after(1)).isPresent();
        assertThat(after(0)).isPresent();
        tries.begin();
        now += FetchResumePolicy.MAX_SILENCE.toNanos();

        assertThat(tries.interrupted(new BackendException(FailureKind.UNAVAILABLE, "silent")))
                .isEmpty();
    }

    @Test
    void progressResetsTheRetryCount() {
        for (int i = 0; i < 100; i++) {
            assertThat(after(1)).isPresent();
            assertThat(after(0)).isPresent();
            assertThat(after(FetchResumePolicy.PROGRESS_BYTES)).isPresent();
        }
    }

    @Test
    void doesNotRetryPermanentFailures() {
        for (FailureKind kind : FailureKind.values()) {
            boolean mayHelp = kind == FailureKind.INVALID_RESPONSE || kind.isTemporary();
            assertThat(first(new BackendException(kind, "")).isPresent())
                    .as("%s", kind)
                    .isEqualTo(mayHelp);
        }
        assertThat(first(new IllegalStateException())).isEmpty();
    }

    private static Optional<Duration> first(RuntimeException failure) {
        FetchResumePolicy fresh = new FetchResumePolicy();
        fresh.begin();
        return fresh.interrupted(failure);
    }

    private Optional<Duration> after(int bytes) {
        tries.begin();
        tries.received(bytes);
        return tries.interrupted(new BackendException(FailureKind.INVALID_RESPONSE, "cut"));
    }
}
