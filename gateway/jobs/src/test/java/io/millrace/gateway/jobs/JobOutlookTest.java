package io.millrace.gateway.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.gateway.jobs.store.JobCannotContinueException;
import io.millrace.gateway.jobs.store.JobProgress;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;

/** Tests what a job says at its end if it cannot find out how much is cached still. */
class JobOutlookTest {
    @Test
    void countThatFailsIsToldWithItsReason() {
        assertThat(summary(Mono.error(new JobCannotContinueException("a disk hangs")), Duration.ofSeconds(60)))
                .isEqualTo("how much is cached still could not be counted: a disk hangs");
    }

    @Test
    void countThatTakesTooLongIsTold() {
        assertThat(summary(Mono.never(), Duration.ofMillis(1)))
                .isEqualTo("how much is cached still could not be counted: it took longer than 0 s");
    }

    @Test
    void countIsToldAsItIs() {
        assertThat(summary(Mono.just("half of it"), Duration.ofSeconds(60))).isEqualTo("half of it");
    }

    private static String summary(Mono<String> count, Duration longest) {
        JobOutlook outlook = new JobOutlook() {
            @Override
            public String counted(JobProgress found) {
                return "";
            }

            @Override
            public Mono<String> ended(JobProgress all) {
                return count;
            }
        };
        return outlook.endedWithin(longest, JobProgress.NONE)
                .blockOptional(Duration.ofSeconds(60))
                .orElseThrow();
    }
}
