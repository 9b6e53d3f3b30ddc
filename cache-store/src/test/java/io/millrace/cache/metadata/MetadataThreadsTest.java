package io.millrace.cache.metadata;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import reactor.test.StepVerifier;

class MetadataThreadsTest {
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private final MetadataThreads threads = new MetadataThreads();
    private final CountDownLatch goesOn = new CountDownLatch(1);

    @AfterEach
    void close() {
        goesOn.countDown();
        threads.close();
    }

    @Test
    void answersWhatIsFound() {
        StepVerifier.create(threads.read(() -> Optional.of("found")))
                .expectNext("found")
                .verifyComplete();
        StepVerifier.create(threads.read(Optional::empty)).verifyComplete();
    }

    @Test
    void answersNothingWhereAReadFails() {
        StepVerifier.create(threads.read(() -> {
                    throw new IllegalStateException("broken");
                }))
                .verifyComplete();
    }

    @Test
    void failsWhileAReadHangs() throws InterruptedException {
        StepVerifier.create(threads.read(this::hang))
                .expectError(MetadataUnavailableException.class)
                .verify(PATIENCE);
        assertThat(threads.isHanging()).isTrue();
        // At once, though threads are free.
        CountDownLatch requested = new CountDownLatch(1);
        StepVerifier.create(threads.read(() -> {
                    requested.countDown();
                    return Optional.of("found");
                }))
                .verifyError(MetadataUnavailableException.class);
        assertThat(requested.getCount()).isEqualTo(1);

        goesOn.countDown();
        for (int i = 0; i < 200 && threads.isHanging(); i++) {
            TimeUnit.MILLISECONDS.sleep(50);
        }
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
