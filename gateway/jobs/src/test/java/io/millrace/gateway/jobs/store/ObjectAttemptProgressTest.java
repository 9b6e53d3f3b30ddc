package io.millrace.gateway.jobs.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.gateway.jobs.plan.PlanItem;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import org.junit.jupiter.api.Test;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/** Bytes count once, while they move. */
class ObjectAttemptProgressTest {
    private final LongAdder throughput = new LongAdder();
    private final ObjectAttemptProgress transfer = new ObjectAttemptProgress(0, throughput);

    @Test
    void retriedPartCountsOnce() {
        AtomicInteger attempts = new AtomicInteger();

        transfer.part(part -> part.counted(pieces(3))
                        .then(Mono.defer(() -> attempts.incrementAndGet() < 3
                                ? Mono.error(new IllegalStateException("the backend refused it"))
                                : Mono.just("stored"))))
                .retry()
                .block();

        assertThat(transfer.bytes()).isEqualTo(30);
        assertThat(transfer.moved()).isEqualTo(30);
        assertThat(throughput.sum()).isEqualTo(90);
    }

    @Test
    void writeAfterItsAttemptDoesNotCount() {
        Sinks.Many<ByteBuf> pieces = Sinks.many().unicast().onBackpressureBuffer();
        AtomicReference<Flux<ByteBuf>> written = new AtomicReference<>(Flux.empty());
        Disposable attempt = transfer.part(part -> {
                    written.set(part.counted(pieces.asFlux()));
                    return Mono.never();
                })
                .subscribe();
        Objects.requireNonNull(written.get()).subscribe();
        pieces.tryEmitNext(piece());
        assertThat(transfer.bytes()).isEqualTo(10);

        attempt.dispose();
        pieces.tryEmitNext(piece());

        assertThat(transfer.bytes()).isZero();
        assertThat(throughput.sum()).isEqualTo(20);
    }

    @Test
    void presentBytesAreProgressButDidNotMove() {
        transfer.expect(200);

        transfer.present(50);

        assertThat(transfer.share()).isEqualTo(0.25);
        assertThat(transfer.moved()).isZero();
    }

    @Test
    void shareIsBetweenNoneAndAll() {
        transfer.present(5);
        assertThat(transfer.share()).as("of an unknown size").isZero();

        transfer.expect(4);
        assertThat(transfer.share()).isEqualTo(1);
        assertThat(transfer.kept()).isEqualTo(new UnfinishedProgress(5, 0, 1));
    }

    /** A job also retries whole objects. */
    @Test
    void newAttemptKeepsWhatIsStored() {
        RunProgress progress = new RunProgress(JobProgress.NONE.counted(1, 100, true));
        LowWatermark.Position place = place();
        ObjectAttemptProgress first = progress.attempt(place, 100);
        first.part(part -> part.counted(pieces(6)).then(Mono.just("stored"))).block();
        first.part(part -> part.counted(pieces(3)).then(Mono.error(new IllegalStateException("refused"))))
                .onErrorComplete()
                .block();

        ObjectAttemptProgress second = progress.attempt(place, 100);
        second.present(60);
        second.moved(20);

        assertThat(progress.now().movedBytes()).isEqualTo(80);
        assertThat(progress.report().percent()).contains(80.0);
        progress.end(place, TaskResult.done(100, 40));
        assertThat(progress.now()).isEqualTo(new JobProgress(1, 100, true, 1, 100, 0, 0, 0, 0, 100, 0));
    }

    @Test
    void onlyStoredPartsAreKeptWhenAJobStops() {
        RunProgress progress = new RunProgress(JobProgress.NONE.counted(1, 200, true));
        ObjectAttemptProgress attempt = progress.attempt(place(), 200);
        attempt.part(part -> part.counted(pieces(8)).then(Mono.just("stored"))).block();
        Disposable sending = attempt.part(part -> part.counted(pieces(4)).then(Mono.<String>never()))
                .subscribe();
        assertThat(progress.report().percent()).contains(60.0);
        assertThat(progress.unfinished()).isEqualTo(new UnfinishedProgress(80, 80, 0.4));

        sending.dispose();

        ProgressReport atRest = ProgressReport.atRest(progress.ended(), progress.unfinished());
        assertThat(atRest.percent()).contains(40.0);
        assertThat(atRest.progress().movedBytes()).isEqualTo(80);
    }

    @Test
    void nextRunBeginsWhereTheLastOneStopped() {
        JobProgress ended = JobProgress.NONE.counted(1, 200, true);
        RunProgress progress = new RunProgress(ended, new UnfinishedProgress(80, 70, 0.4));
        LowWatermark.Position place = place();

        assertThat(progress.report().percent()).contains(40.0);
        assertThat(progress.now().movedBytes()).isEqualTo(70);
        ObjectAttemptProgress attempt = progress.attempt(place, 200);
        attempt.present(80);
        attempt.moved(20);
        assertThat(progress.report().percent()).contains(50.0);
        progress.end(place, TaskResult.done(200, 120));

        assertThat(progress.now()).isEqualTo(new JobProgress(1, 200, true, 1, 200, 0, 0, 0, 0, 190, 0));
        assertThat(progress.unfinished()).isEqualTo(UnfinishedProgress.NONE);
    }

    private static LowWatermark.Position place() {
        return Objects.requireNonNull(new LowWatermark(null, List.of(), 0).enter(new PlanItem("k", "1")));
    }

    private static Flux<ByteBuf> pieces(int count) {
        return Flux.range(0, count).map(number -> piece());
    }

    private static ByteBuf piece() {
        return Unpooled.wrappedBuffer(new byte[10]);
    }
}
