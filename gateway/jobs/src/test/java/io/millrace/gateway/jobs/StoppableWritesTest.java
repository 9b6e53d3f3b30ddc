package io.millrace.gateway.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.testkit.BufferLeakExtension;
import io.millrace.backend.testkit.Polling;
import io.millrace.gateway.objects.read.CurrentObjectFinder;
import io.millrace.gateway.objects.read.ObjectSourceFactory;
import io.millrace.gateway.objects.write.FencedWrites;
import io.millrace.kit.async.RateLimiter;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.test.StepVerifier;
import reactor.test.publisher.TestPublisher;

/** Tests writes under way when a run stops. */
@ExtendWith(BufferLeakExtension.class)
class StoppableWritesTest {
    private final StoppableWrites writes = new StoppableWrites(
            new FencedWrites(
                    Optional.empty(),
                    new CurrentObjectFinder(Optional.empty(), ObjectSourceFactory.BACKENDS, InstantSource.system())),
            RateLimiter.of(OptionalLong.empty()),
            2);

    @Test
    void stopWaitsForCancelledStep() {
        Sinks.One<String> step = Sinks.one();
        Disposable subscriber = writes.uncut(step.asMono()).subscribe();
        subscriber.dispose();
        AtomicBoolean idle = new AtomicBoolean();
        writes.stop().subscribe(nothing -> {}, failure -> {}, () -> idle.set(true));
        assertThat(idle).isFalse();

        step.tryEmitValue("done");

        assertThat(idle).isTrue();
    }

    @Test
    void partBeyondTheMostWaitsForItsTurn() {
        Sinks.Empty<Void> first = Sinks.empty();
        AtomicBoolean began = new AtomicBoolean();
        writes.inTurn(first.asMono()).subscribe();
        Disposable second = writes.inTurn(Mono.never()).subscribe();
        Disposable abandoned = writes.inTurn(Mono.never()).subscribe();
        Disposable last =
                writes.inTurn(Mono.fromRunnable(() -> began.set(true))).subscribe();
        abandoned.dispose();
        assertThat(began).isFalse();

        first.tryEmitEmpty();

        Polling.until("the last has its turn", last::isDisposed);
        assertThat(began).isTrue();
        second.dispose();
    }

    @Test
    void refusesWritesAfterTheStop() {
        AtomicBoolean began = new AtomicBoolean();
        writes.stop().block(Duration.ofSeconds(60));

        StepVerifier.create(writes.uncut(Mono.fromRunnable(() -> began.set(true))))
                .verifyError(BackendException.class);
        StepVerifier.create(writes.limited(Flux.never())).verifyError(BackendException.class);
        assertThat(began).isFalse();
    }

    @Test
    void stalledBodyFailsOnStop() {
        Sinks.Many<ByteBuf> source = Sinks.many().unicast().onBackpressureBuffer();
        source.tryEmitNext(piece());

        StepVerifier.create(writes.limited(source.asFlux()).doOnNext(ByteBuf::release))
                .expectNextCount(1)
                .then(() -> writes.stop().subscribe())
                .verifyError(BackendException.class);
    }

    @Test
    void bufferAfterStopIsReleased() {
        TestPublisher<ByteBuf> source = TestPublisher.createNoncompliant(TestPublisher.Violation.CLEANUP_ON_TERMINATE);
        ByteBuf late = piece();

        StepVerifier.create(writes.limited(source.flux()))
                .then(() -> writes.stop().subscribe())
                .then(() -> source.next(late))
                .verifyError(BackendException.class);

        assertThat(late.refCnt()).isZero();
    }

    private static ByteBuf piece() {
        return Unpooled.copiedBuffer(new byte[] {1, 2, 3});
    }
}
