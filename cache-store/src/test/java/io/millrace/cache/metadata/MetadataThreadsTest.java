package io.millrace.cache.metadata;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.testkit.Polling;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import reactor.test.StepVerifier;

class MetadataThreadsTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final MetadataThreads threads = new MetadataThreads();
    private final CountDownLatch goesOn = new CountDownLatch(1);

    @AfterEach
    void close() {
        goesOn.countDown();
        threads.close();
    }

    @Test
    void returnsTheValueFound() {
        StepVerifier.create(threads.read(() -> Optional.of("found")))
                .expectNext("found")
                .verifyComplete();
        StepVerifier.create(threads.read(Optional::empty)).verifyComplete();
    }

    @Test
    void failedReadCompletesEmpty() {
        StepVerifier.create(threads.read(() -> {
                    throw new IllegalStateException("broken");
                }))
                .verifyComplete();
    }

    @Test
    void isBusyWhileTheQueueOfDeletionsIsHalfFull() {
        for (int deletion = 0; deletion < 5000; deletion++) {
            threads.delete(this::hang);
        }
        assertThat(threads.areDeletionsQueued()).isFalse();
        for (int deletion = 0; deletion < 4; deletion++) {
            threads.delete(this::hang);
        }
        assertThat(threads.areDeletionsQueued()).isTrue();

        goesOn.countDown();
        Polling.until("the deletions have run", () -> !threads.areDeletionsQueued());
    }

    @Test
    void failsWhileAReadHangs() {
        StepVerifier.create(threads.read(this::hang))
                .expectError(MetadataStoreUnavailableException.class)
                .verify(PATIENCE);
        assertThat(threads.isHanging()).isTrue();
        // At once, though threads are free.
        CountDownLatch requested = new CountDownLatch(1);
        StepVerifier.create(threads.read(() -> {
                    requested.countDown();
                    return Optional.of("found");
                }))
                .verifyError(MetadataStoreUnavailableException.class);
        assertThat(requested.getCount()).isEqualTo(1);

        goesOn.countDown();
        Polling.until("it goes on", () -> !threads.isHanging());
        StepVerifier.create(threads.read(() -> Optional.of("found")))
                .expectNext("found")
                .verifyComplete();
    }

    @Test
    void refusesDeletionsBeyondABound() {
        int refused = 0;
        for (int i = 0; i < 10_100; i++) {
            try {
                threads.delete(this::hang);
            } catch (java.util.concurrent.RejectedExecutionException e) {
                refused++;
            }
        }
        assertThat(refused).isPositive();
    }

    private Optional<String> hang() {
        try {
            goesOn.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return Optional.of("late");
    }
}
