package io.millrace.gateway.s3.sts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;

class StsWorkersTest {
    private final StsWorkers<String> workers = new StsWorkers<>("test", 1);
    private final CountDownLatch done = new CountDownLatch(1);

    @AfterEach
    void end() {
        done.countDown();
    }

    @Test
    void whoTakesManyLeavesAsManyToOthers() {
        List<CompletableFuture<String>> greedy = new ArrayList<>();
        for (int i = 0; i < StsWorkers.SLOTS; i++) {
            greedy.add(workers.run("greedy", this::work).toFuture());
        }
        CompletableFuture<String> other = workers.run("other", this::work).toFuture();

        assertThat(greedy.stream().filter(CompletableFuture::isCompletedExceptionally))
                .hasSize(StsWorkers.SLOTS / 2);
        done.countDown();
        assertThat(Mono.fromFuture(other).block(Duration.ofSeconds(60))).isEqualTo("done");
    }

    @Test
    void slotIsFreeOnceTheWorkOnlyWaits() {
        List<CompletableFuture<String>> waiting = new ArrayList<>();
        for (int i = 0; i < StsWorkers.SLOTS; i++) {
            CompletableFuture<Boolean> begun = new CompletableFuture<>();
            waiting.add(workers.run("one", () -> {
                        begun.complete(true);
                        return Mono.<String>never();
                    })
                    .toFuture());
            assertThat(Mono.fromFuture(begun).block(Duration.ofSeconds(60))).isTrue();
        }

        assertThat(waiting).noneMatch(CompletableFuture::isDone);
    }

    @Test
    void failureOfTheWorkIsItsResultAndFreesItsSlot() {
        for (int i = 0; i < 2 * StsWorkers.SLOTS; i++) {
            assertThatThrownBy(() -> workers.run("one", () -> {
                                throw new StsException(StsException.Code.ACCESS_DENIED, "no");
                            })
                            .block(Duration.ofSeconds(60)))
                    .hasMessage("no");
        }
    }

    private Mono<String> work() {
        try {
            done.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return Mono.just("done");
    }
}
