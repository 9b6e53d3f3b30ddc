package io.millrace.gateway.objects.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.test.scheduler.VirtualTimeScheduler;

/** Tests who waits for a revalidation and how long, in virtual time. */
class BackgroundRefresherTest {
    private static final Duration PATIENCE = BackgroundRefresher.PATIENCE;

    private final VirtualTimeScheduler time = VirtualTimeScheduler.create();
    private final BackgroundRefresher refresher = new BackgroundRefresher(() -> time.now(TimeUnit.NANOSECONDS), time);

    private int started;

    @Test
    void answerWithinPatienceIsServed() {
        Sinks.One<String> answer = Sinks.one();
        List<String> reader = read("slow", "a", answer.asMono());

        time.advanceTimeBy(PATIENCE.minusMillis(1));
        assertThat(reader).isEmpty();
        answer.tryEmitValue("new");

        assertThat(reader).containsExactly("new");
    }

    @Test
    void firstReaderGetsStaleAfterPatience() {
        List<String> reader = read("hangs", "a", Mono.never());

        time.advanceTimeBy(PATIENCE);

        assertThat(reader).containsExactly("stale");
    }

    @Test
    void othersGetStaleAtOnceWhileOneIsOverdue() {
        read("hangs", "a", Mono.never());
        time.advanceTimeBy(PATIENCE);

        assertThat(read("hangs", "a", Mono.never())).containsExactly("stale");
        assertThat(read("hangs", "b", Mono.never())).containsExactly("stale");
        assertThat(read("another", "a", Mono.never())).as("of another backend").isEmpty();
    }

    @Test
    void answerToAnotherSubjectEndsIt() {
        read("hangs", "a", Mono.never());
        time.advanceTimeBy(PATIENCE);

        assertThat(read("hangs", "b", Mono.just("new")))
                .as("asked for behind it")
                .containsExactly("stale");

        assertThat(read("hangs", "b", Mono.just("new"))).containsExactly("new");
        assertThat(read("hangs", "a", Mono.never())).as("the one that hangs").containsExactly("stale");
    }

    @Test
    void refusalIsAnAnswer() {
        read("hangs", "a", Mono.never());
        time.advanceTimeBy(PATIENCE);

        read("hangs", "b", Mono.error(new BackendException(FailureKind.NO_SUCH_KEY, "gone")));

        assertThat(read("hangs", "c", Mono.never())).isEmpty();
    }

    @Test
    void failureIsNoAnswer() {
        read("hangs", "a", Mono.never());
        time.advanceTimeBy(PATIENCE);

        read("hangs", "b", Mono.error(new BackendException(FailureKind.UNAVAILABLE, "down")));

        assertThat(read("hangs", "c", Mono.never())).containsExactly("stale");
    }

    @Test
    void readersWaitAgainAfterTheEndOfWhatWasOverdue() {
        Sinks.One<String> answer = Sinks.one();
        read("hangs", "a", answer.asMono());
        time.advanceTimeBy(PATIENCE);

        answer.tryEmitError(new BackendException(FailureKind.UNAVAILABLE, "no response within 30 s"));

        assertThat(read("hangs", "b", Mono.just("new"))).containsExactly("new");
    }

    @Test
    void responseOfTheSameMomentCounts() {
        read("hangs", "a", Mono.never());
        read("hangs", "b", Mono.just("new"));
        time.advanceTimeBy(PATIENCE);

        assertThat(read("hangs", "c", Mono.never())).isEmpty();
    }

    @Test
    void subjectIsRefreshedOnceAtATime() {
        Sinks.One<String> answer = Sinks.one();
        refresher.refresh("backend", "a", answer.asMono());
        refresher.refresh("backend", "a", counted(Mono.never()));
        assertThat(started).isZero();

        answer.tryEmitValue("new");
        refresher.refresh("backend", "a", counted(Mono.never()));
        assertThat(started).isEqualTo(1);
    }

    @Test
    void refreshesOfABackendAreBounded() {
        Sinks.One<String> answer = Sinks.one();
        refresher.refresh("hangs", "a", answer.asMono());
        for (int i = 0; i < 2 * BackgroundRefresher.MAX_PER_BACKEND; i++) {
            refresher.refresh("hangs", i, counted(Mono.never()));
        }
        assertThat(started).isEqualTo(BackgroundRefresher.MAX_PER_BACKEND - 1);
        refresher.refresh("another", "a", counted(Mono.never()));
        assertThat(started).isEqualTo(BackgroundRefresher.MAX_PER_BACKEND);

        answer.tryEmitError(new BackendException(FailureKind.UNAVAILABLE, "down"));
        for (int i = 1000; i < 1002; i++) {
            refresher.refresh("hangs", i, counted(Mono.never()));
        }
        assertThat(started).as("one has ended").isEqualTo(BackgroundRefresher.MAX_PER_BACKEND + 1);
    }

    private Mono<String> counted(Mono<String> revalidation) {
        return revalidation.doOnSubscribe(sent -> started++);
    }

    private List<String> read(String backend, String what, Mono<String> revalidation) {
        List<String> got = new ArrayList<>();
        refresher
                .answerOrStale(backend, what, revalidation, () -> "stale")
                .subscribe(got::add, failure -> got.add("failed"));
        return got;
    }
}
