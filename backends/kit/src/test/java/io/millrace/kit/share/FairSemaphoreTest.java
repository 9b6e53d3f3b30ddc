package io.millrace.kit.share;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.reactivestreams.Subscription;
import reactor.core.Disposable;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/** Few work at a time, few wait, each that waits has its turn, and no permit is lost whenever somebody cancels. */
@Timeout(180)
class FairSemaphoreTest {
    private static final Party ADA = Party.ofIdentity("ada");
    private static final Party BOB = Party.ofIdentity("bob");
    private static final Duration LONG = Duration.ofSeconds(60);
    private static final int RACES = 2000;

    /** The ends that a stream can have. */
    private enum StreamEnd {
        COMPLETE,
        ERROR,
        CANCEL
    }

    /** The turns that were given and have not begun. */
    private final Queue<Runnable> turns = new ArrayDeque<>();

    private final List<String> begun = new ArrayList<>();
    private final List<Throwable> failures = new ArrayList<>();

    @Test
    void callerWaitsUntilAnotherHasEnded() {
        FairSemaphore semaphore = semaphore(2, 10);
        Sinks.One<String> first = Sinks.one();
        Sinks.One<String> second = Sinks.one();
        run(semaphore, ADA, "1", first.asMono());
        run(semaphore, ADA, "2", second.asMono());
        run(semaphore, ADA, "3", Mono.empty());
        run(semaphore, ADA, "4", Mono.never());
        assertThat(begun).containsExactly("1", "2");
        assertThat(semaphore.running()).isEqualTo(2);
        assertThat(semaphore.waiting()).isEqualTo(2);

        first.tryEmitValue("done");
        assertThat(begun).as("not in the call stack of the first").hasSize(2);
        beginTurns();
        assertThat(begun).containsExactly("1", "2", "3", "4");

        run(semaphore, ADA, "5", Mono.never());
        second.tryEmitError(new IllegalStateException("failed"));
        beginTurns();
        assertThat(begun).containsExactly("1", "2", "3", "4", "5");
        assertThat(failures).hasSize(1);
    }

    @Test
    void partiesTakeTurns() {
        FairSemaphore semaphore = semaphore(1, 100);
        Disposable first = run(semaphore, ADA, "a1", Mono.never());
        run(semaphore, ADA, "a2", Mono.empty());
        run(semaphore, ADA, "a3", Mono.empty());
        run(semaphore, BOB, "b1", Mono.empty());

        first.dispose();
        beginTurns();

        assertThat(begun).containsExactly("a1", "a2", "b1", "a3");
    }

    @Test
    void tooManyAreRefused() {
        FairSemaphore semaphore = semaphore(1, 4);
        for (int i = 0; i < 1 + 2 + 3; i++) {
            run(semaphore, ADA, "ada", Mono.never());
        }
        run(semaphore, BOB, "bob", Mono.never());

        assertThat(begun).containsExactly("ada");
        assertThat(failures).hasSize(3).allMatch(failure -> "refused".equals(failure.getMessage()));
    }

    @Test
    void oneIdentityLeavesPermitsToOthers() {
        FairSemaphore semaphore = semaphore(4, 100);
        List<Disposable> works = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            works.add(run(semaphore, ADA, "a" + i, Mono.never()));
        }
        assertThat(begun).containsExactly("a0", "a1", "a2");
        Disposable other = run(semaphore, BOB, "b0", Mono.never());
        run(semaphore, BOB, "b1", Mono.never());
        assertThat(begun).endsWith("a2", "b0");

        other.dispose();
        beginTurns();
        assertThat(begun).as("the one that is free is not for who has three").endsWith("b0", "b1");
        works.get(0).dispose();
        beginTurns();

        assertThat(begun).endsWith("b1", "a3");
        assertThat(semaphore.running()).isEqualTo(4);
        assertThat(semaphore.waiting()).isEqualTo(1);
    }

    @Test
    void permitsThatWereKeptForOthersAreUsedAgain() {
        FairSemaphore semaphore = semaphore(4, 100);
        List<Disposable> works = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            works.add(run(semaphore, ADA, "a" + i, Mono.never()));
        }
        for (int i = 0; i < 8; i++) {
            works.get(i).dispose();
            beginTurns();
        }

        assertThat(begun).hasSize(8);
        assertThat(semaphore.running()).isZero();
        assertThat(semaphore.waiting()).isZero();
    }

    @Test
    void whereAnyNumberMayWaitOneHasAll() {
        FairSemaphore semaphore = new FairSemaphore(4);
        List<Disposable> works = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            works.add(run(semaphore, ADA, "a" + i, Mono.never()));
        }

        assertThat(begun).hasSize(4);
        works.forEach(Disposable::dispose);
    }

    @Test
    void refusedCallerGivesNothingBack() {
        FairSemaphore semaphore = semaphore(1, 0);
        run(semaphore, ADA, "1", Mono.never());
        run(semaphore, ADA, "2", Mono.never());
        run(semaphore, ADA, "3", Mono.never());

        assertThat(begun).containsExactly("1");
        assertThat(failures).hasSize(2);
    }

    @Test
    void callersOfNoBoundWaitInAnyNumber() {
        FairSemaphore semaphore = new FairSemaphore(1);
        Disposable first = semaphore.run(ADA, Mono.never()).subscribe();
        AtomicInteger done = new AtomicInteger();
        List<Mono<Void>> all = new ArrayList<>();
        for (int i = 0; i < 1000; i++) {
            Mono<Void> one = semaphore
                    .run(ADA, Mono.<Void>fromRunnable(done::incrementAndGet))
                    .cache();
            one.subscribe();
            all.add(one);
        }
        assertThat(done).hasValue(0);

        first.dispose();

        Mono.when(all).block(LONG);
        assertThat(done).hasValue(1000);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void cancelBeforeTheBeginningGivesOnThePlaceOrTheTurn(boolean hasItsTurn) {
        FairSemaphore semaphore = semaphore(1, 4);
        Disposable first = run(semaphore, ADA, "1", Mono.never());
        Disposable cancelled = run(semaphore, ADA, "2", Mono.never());
        run(semaphore, ADA, "3", Mono.empty());
        if (hasItsTurn) {
            first.dispose();
        }
        assertThat(turns).hasSize(hasItsTurn ? 1 : 0);

        cancelled.dispose();
        run(semaphore, ADA, "4", Mono.empty());
        assertThat(failures).as("the place of the cancelled one is free").isEmpty();
        first.dispose();
        beginTurns();

        assertThat(begun).containsExactly("1", "3", "4");
        assertThat(semaphore.running()).isZero();
        assertThat(semaphore.waiting()).isZero();
    }

    @Test
    void whoeverCancelsWhileItWorksGivesThePermitBackOnce() {
        FairSemaphore semaphore = semaphore(1, 10);
        Disposable first = run(semaphore, ADA, "1", Mono.never());
        first.dispose();
        first.dispose();
        run(semaphore, ADA, "2", Mono.never());
        run(semaphore, ADA, "3", Mono.never());

        assertThat(begun).containsExactly("1", "2");
    }

    @Test
    void whoeverCancelsAtOnceTakesNothing() {
        FairSemaphore semaphore = semaphore(1, 10);
        semaphore.run(ADA, Mono.fromRunnable(() -> begun.add("cancelled"))).subscribe(new BaseSubscriber<Object>() {
            @Override
            protected void hookOnSubscribe(Subscription subscription) {
                subscription.cancel();
            }
        });
        run(semaphore, ADA, "1", Mono.never());

        assertThat(begun).containsExactly("1");
    }

    @Test
    void oneMonoMayBeSubscribedToAgain() {
        FairSemaphore semaphore = semaphore(1, 10);
        Mono<String> twice = semaphore.run(ADA, Mono.just("value"));

        assertThat(twice.block(LONG)).isEqualTo("value");
        assertThat(twice.block(LONG)).isEqualTo("value");
        assertThatThrownBy(() -> semaphore
                        .run(ADA, Mono.error(new IllegalStateException("failed")))
                        .block(LONG))
                .hasMessage("failed");
        assertThat(twice.block(LONG)).isEqualTo("value");
    }

    @ParameterizedTest
    @EnumSource(StreamEnd.class)
    void streamHasItsPermitUntilItEndsAndGivesItBackOnce(StreamEnd end) {
        FairSemaphore semaphore = semaphore(1, 10);
        Sinks.Many<String> pieces = Sinks.many().unicast().onBackpressureBuffer();
        List<String> read = new ArrayList<>();
        Disposable reader = semaphore.run(ADA, pieces.asFlux()).subscribe(read::add, failures::add);
        pieces.tryEmitNext("a");
        pieces.tryEmitNext("b");
        assertThat(read).containsExactly("a", "b");
        assertThat(semaphore.running()).isOne();

        switch (end) {
            case COMPLETE -> pieces.tryEmitComplete();
            case ERROR -> pieces.tryEmitError(new IllegalStateException("failed"));
            case CANCEL -> reader.dispose();
        }
        reader.dispose();

        assertThat(failures).hasSize(end == StreamEnd.ERROR ? 1 : 0);
        assertThat(semaphore.running()).isZero();
        run(semaphore, ADA, "1", Mono.never());
        run(semaphore, ADA, "2", Mono.never());
        assertThat(begun).containsExactly("1");
    }

    @Test
    void streamBeginsInItsTurn() {
        FairSemaphore semaphore = semaphore(1, 10);
        Disposable first = run(semaphore, ADA, "1", Mono.never());
        List<String> read = new ArrayList<>();
        Flux<String> stream = Flux.just("a", "b").doOnSubscribe(subscription -> begun.add("2"));
        semaphore.run(ADA, stream).subscribe(read::add, failures::add);
        Disposable leaves = semaphore.run(ADA, stream).subscribe(read::add, failures::add);
        assertThat(semaphore.waiting()).isEqualTo(2);

        leaves.dispose();
        first.dispose();
        assertThat(begun).as("not in the call stack of the first").containsExactly("1");
        beginTurns();

        assertThat(begun).containsExactly("1", "2");
        assertThat(read).containsExactly("a", "b");
        assertThat(semaphore.running()).isZero();
        assertThat(semaphore.waiting()).isZero();
    }

    @Test
    void streamIsRefusedAsAllAre() {
        FairSemaphore semaphore = semaphore(1, 0);
        run(semaphore, ADA, "1", Mono.never());

        semaphore.run(ADA, Flux.never()).subscribe(piece -> {}, failures::add);

        assertThat(failures)
                .singleElement()
                .satisfies(failure -> assertThat(failure).hasMessage("refused"));
        assertThat(semaphore.running()).isOne();
    }

    /** One who waits cancels in the moment in which another gives its permit back, which may be that of the former. */
    @Test
    void noPermitIsLostOrGivenTwiceWhenACancelMeetsAGrant() throws Exception {
        FairSemaphore semaphore = new FairSemaphore(1);
        ExecutorService threads = Executors.newFixedThreadPool(2);
        CyclicBarrier start = new CyclicBarrier(2);
        try {
            for (int i = 0; i < RACES; i++) {
                Disposable holder = semaphore.run(ADA, Mono.never()).subscribe();
                Disposable cancelled = semaphore.run(ADA, Mono.never()).subscribe();
                Mono<Integer> last = semaphore
                        .run(ADA, Mono.fromCallable(semaphore::running))
                        .cache();
                last.subscribe();

                List<Future<?>> both = List.of(
                        threads.submit(() -> disposeAfter(start, holder)),
                        threads.submit(() -> disposeAfter(start, cancelled)));
                for (Future<?> one : both) {
                    one.get(60, TimeUnit.SECONDS);
                }
                assertThat(last.block(LONG)).as("permits that are held").isEqualTo(1);
            }
        } finally {
            threads.shutdownNow();
        }
        assertThat(semaphore.waiting()).isZero();
    }

    private static boolean disposeAfter(CyclicBarrier start, Disposable one) throws Exception {
        start.await(60, TimeUnit.SECONDS);
        one.dispose();
        return true;
    }

    private FairSemaphore semaphore(int permits, int mostWaiting) {
        return new FairSemaphore(permits, mostWaiting, () -> new IllegalStateException("refused"), turns::add);
    }

    private Disposable run(FairSemaphore semaphore, Party party, String name, Mono<String> work) {
        return semaphore
                .run(party, Mono.defer(() -> {
                    begun.add(name);
                    return work;
                }))
                .subscribe(result -> {}, failures::add);
    }

    private void beginTurns() {
        for (Runnable next = turns.poll(); next != null; next = turns.poll()) {
            next.run();
        }
    }
}
