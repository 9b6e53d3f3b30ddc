package io.millrace.cache.fill;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.Kind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** A line that breaks must not end a read that goes on, and a server that cuts everything must not be asked for ever. */
class TriesTest {
    private long now = Long.MAX_VALUE - 1;
    private final Tries tries = new Tries(() -> now);

    @Test
    void triesThatBringAPageEachHaveNoEnd() {
        for (int i = 0; i < 10_000; i++) {
            assertThat(after(Tries.FRUITFUL)).contains(Duration.ofMillis(100));
        }
    }

    @Test
    void triesThatBringLittleEndSoonAndComeEverLater() {
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
    void aServerThatIsSilentForLongIsNotAskedAgain() {
        now += Tries.LONGEST_SILENCE.toNanos();
        assertThat(after(1)).isPresent();
        assertThat(after(0)).isPresent();
        tries.begin();
        now += Tries.LONGEST_SILENCE.toNanos();

        assertThat(tries.breakOff(new BackendException(Kind.UNAVAILABLE, "silent")))
                .isEmpty();
    }

    @Test
    void oneThatBringsAPageMakesUpForThoseBefore() {
        for (int i = 0; i < 100; i++) {
            assertThat(after(1)).isPresent();
            assertThat(after(0)).isPresent();
            assertThat(after(Tries.FRUITFUL)).isPresent();
        }
    }

    @Test
    void whatAnotherTryWouldBringAgainIsFinal() {
        for (Kind kind : Kind.values()) {
            boolean mayHelp = kind == Kind.BROKEN_ANSWER || kind == Kind.UNAVAILABLE || kind == Kind.THROTTLED;
            assertThat(first(new BackendException(kind, "")).isPresent())
                    .as("%s", kind)
                    .isEqualTo(mayHelp);
        }
        assertThat(first(new IllegalStateException())).isEmpty();
    }

    private static Optional<Duration> first(RuntimeException failure) {
        Tries fresh = new Tries();
        fresh.begin();
        return fresh.breakOff(failure);
    }

    private Optional<Duration> after(int bytes) {
        tries.begin();
        tries.bring(bytes);
        return tries.breakOff(new BackendException(Kind.BROKEN_ANSWER, "cut"));
    }
}
