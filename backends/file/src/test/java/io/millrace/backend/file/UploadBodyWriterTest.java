package io.millrace.backend.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.ObjectWriter.WriteResult;
import io.millrace.backend.spi.UploadBody;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.testkit.BufferLeakExtension;
import io.millrace.backend.testkit.Polling;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.core.scheduler.Schedulers;

/** Slow, cancelled and many concurrent uploads occupy no thread, little memory, and leave no file. */
@ExtendWith(BufferLeakExtension.class)
class UploadBodyWriterTest {
    private static final int PIECE = 64 << 10;

    @RegisterExtension
    final FileBackendFixture tree = FileBackendFixture.make();

    @Test
    void noMoreIsRequestedThanIsWritten() {
        AtomicLong requested = new AtomicLong();
        Flux<ByteBuf> pieces = Flux.<ByteBuf>never().doOnRequest(requested::addAndGet);

        Disposable write = tree.backend()
                .put(FileBackendFixture.target("slow"), UploadBody.of(PIECE, pieces))
                .subscribe();
        Polling.until("something is asked for", () -> requested.get() > 0);

        assertThat(requested.get() * PIECE).isLessThanOrEqualTo(256 << 10);
        write.dispose();
    }

    @Test
    void slowUploadsHoldNoThread() {
        List<Disposable> slow = new ArrayList<>();
        AtomicInteger taken = new AtomicInteger();
        for (int i = 0; i < 300; i++) {
            Flux<ByteBuf> stalling = Flux.concat(
                    Flux.defer(() -> Flux.just(piece())).doOnNext(p -> taken.incrementAndGet()), Flux.never());
            slow.add(tree.backend()
                    .put(FileBackendFixture.target("slow/" + i), UploadBody.of(2 * PIECE, stalling))
                    .subscribe());
        }
        Polling.until("all have begun", () -> taken.get() == 300);

        tree.write("quick", "x", HeaderList.EMPTY);

        assertThat(tree.read("quick")).isEqualTo("x");
        assertThat(tree.keys()).containsExactly("quick");
        slow.forEach(Disposable::dispose);
    }

    @Test
    void uploadsGivenUpAtAnyMomentLeaveNothing() {
        byte[] bytes = new byte[5 * PIECE];
        AtomicInteger written = new AtomicInteger();
        for (int i = 0; i < 1_000; i++) {
            Disposable write = tree.backend()
                    .put(FileBackendFixture.target("left/" + i), FileUploadBodies.of(bytes))
                    .subscribe(done -> written.incrementAndGet());
            for (int spin = 0; spin < (i % 50) * 100; spin++) {
                Thread.onSpinWait();
            }
            write.dispose();
        }

        Polling.until("all files are closed", () -> tree.backend().openFiles() == 0);
        Polling.until("no temporary file is left", () -> tree.temporaries().isEmpty());
        for (String key : tree.keys()) {
            assertThat(tree.head(key).size()).isEqualTo(bytes.length);
        }
    }

    @Test
    void piecesFromAnyThreadComeInTheirOrder() {
        byte[] bytes = new byte[40 * PIECE];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = (byte) (i / PIECE);
        }
        Flux<ByteBuf> hopping =
                FileUploadBodies.flux(bytes).concatMap(piece -> Mono.just(piece).publishOn(Schedulers.parallel()), 1);

        tree.backend()
                .put(FileBackendFixture.target("hopping"), UploadBody.of(bytes.length, hopping))
                .block();

        assertThat(tree.read("hopping").getBytes(StandardCharsets.UTF_8)).isEqualTo(bytes);
    }

    @Test
    void closedBackendFailsUploadsUnderWayAndNewOnes() {
        Sinks.Many<ByteBuf> pieces = Sinks.many().unicast().onBackpressureBuffer();
        Mono<WriteResult> write =
                tree.backend().put(FileBackendFixture.target("cut"), UploadBody.of(2 * PIECE, pieces.asFlux()));
        AtomicInteger failures = new AtomicInteger();
        write.subscribe(done -> {}, failure -> failures.incrementAndGet());
        pieces.tryEmitNext(piece());
        Polling.until("it has begun", () -> tree.backend().openFiles() == 1);

        tree.backend().close().block();
        pieces.tryEmitNext(piece());
        pieces.tryEmitComplete();

        Polling.until(
                "it has ended",
                () -> tree.backend().openFiles() == 0 && tree.temporaries().isEmpty());
        assertThatThrownBy(() -> tree.write("late", "x", HeaderList.EMPTY))
                .isInstanceOfSatisfying(
                        BackendException.class, e -> assertThat(e.kind()).isEqualTo(FailureKind.UNAVAILABLE));
    }

    private static ByteBuf piece() {
        return ByteBufAllocator.DEFAULT.buffer(PIECE).writeZero(PIECE);
    }
}
