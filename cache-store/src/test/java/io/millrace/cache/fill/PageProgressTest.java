package io.millrace.cache.fill;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class PageProgressTest {
    private static final Duration TIME = Duration.ofSeconds(5);

    private final AtomicLong now = new AtomicLong(Long.MAX_VALUE - 1);
    private final PageProgress progress = new PageProgress(now::get);

    @Test
    void whatStandsStillIsSilent() {
        now.addAndGet(TIME.toNanos() - 1);
        assertThat(progress.isSilentFor(TIME)).isFalse();

        now.addAndGet(1);

        assertThat(progress.isSilentFor(TIME)).isTrue();
    }

    @Test
    void whatDripsIsSilent() {
        for (int second = 0; second < 5; second++) {
            now.addAndGet(Duration.ofSeconds(1).toNanos());
            progress.received(2000);
        }

        assertThat(progress.isSilentFor(TIME)).isTrue();
    }

    @Test
    void eachPageBeginsTheTimeAnew() {
        for (int i = 0; i < 100; i++) {
            now.addAndGet(Duration.ofSeconds(2).toNanos());
            progress.received(FetchResumePolicy.PROGRESS_BYTES / 2);

            assertThat(progress.isSilentFor(TIME)).isFalse();
        }
    }

    @Test
    void aRequestBeginsTheTimeAnew() {
        now.addAndGet(TIME.toNanos());

        progress.begin();

        assertThat(progress.isSilentFor(TIME)).isFalse();
    }
}
