package io.millrace.backend.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.ObjectContent;
import io.millrace.backend.spi.ReadRequest;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.testkit.BufferLeakExtension;
import io.millrace.backend.testkit.Polling;
import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import reactor.core.publisher.BaseSubscriber;

/** Cancelled readers leave no file open. */
@ExtendWith(BufferLeakExtension.class)
class FileBackendLifecycleTest {
    @RegisterExtension
    final FileBackendFixture tree = FileBackendFixture.make();

    @Test
    void cancelledOpensLeakNoFile() {
        tree.write("file", "x".repeat(300_000), HeaderList.EMPTY);
        AtomicInteger taken = new AtomicInteger();
        for (int i = 0; i < 5_000; i++) {
            BaseSubscriber<ObjectContent> opener = new BaseSubscriber<>() {
                @Override
                protected void hookOnNext(ObjectContent content) {
                    taken.incrementAndGet();
                    content.discard();
                }
            };
            tree.backend().open(ReadRequest.of(FileBackendFixture.ref("file"))).subscribe(opener);
            for (int spin = 0; spin < (i % 50) * 20; spin++) {
                Thread.onSpinWait();
            }
            opener.cancel();
        }

        Polling.until("all files are closed", () -> tree.backend().openFiles() == 0);
        assertThat(taken.get()).as("some came in time, some did not").isBetween(0, 5_000);
    }

    @Test
    void cancelledBodiesLeakNoFile() {
        tree.write("file", "x".repeat(1_000_000), HeaderList.EMPTY);
        for (int i = 0; i < 2_000; i++) {
            BaseSubscriber<ByteBuf> reader = new BaseSubscriber<>() {
                @Override
                protected void hookOnNext(ByteBuf piece) {
                    piece.release();
                }
            };
            tree.open(ReadRequest.of(FileBackendFixture.ref("file"))).body().subscribe(reader);
            for (int spin = 0; spin < (i % 50) * 20; spin++) {
                Thread.onSpinWait();
            }
            reader.cancel();
        }

        Polling.until("all files are closed", () -> tree.backend().openFiles() == 0);
        assertThat(tree.read("file")).hasSize(1_000_000);
    }

    @Test
    void bodyIsSubscribedToOnce() {
        tree.write("file", "x", HeaderList.EMPTY);
        ObjectContent content = tree.open(ReadRequest.of(FileBackendFixture.ref("file")));
        content.discard();

        assertThatThrownBy(() -> content.body().blockFirst()).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void closedBackendFailsReadsUnderWayAndNewOnes() {
        tree.write("file", "x".repeat(1_000_000), HeaderList.EMPTY);
        ObjectContent content = tree.open(ReadRequest.of(FileBackendFixture.ref("file")));

        tree.backend().close().block();

        assertUnavailable(() -> FileBackendFixture.drain(content));
        assertUnavailable(() -> tree.open(ReadRequest.of(FileBackendFixture.ref("file"))));
        assertUnavailable(() -> tree.head("file"));
        assertUnavailable(() -> tree.list("", ""));
    }

    @Test
    void missingRootIsUnavailableNotEmpty() throws IOException {
        tree.write("file", "x", HeaderList.EMPTY);
        Path away =
                Files.move(tree.root(), tree.root().resolveSibling(tree.root().getFileName() + "-away"));
        try {
            assertUnavailable(() -> tree.read("file"));
            assertUnavailable(() -> tree.list("", ""));
            assertUnavailable(() -> tree.backend().listBuckets().block());
        } finally {
            Files.move(away, tree.root());
        }
        assertThat(tree.read("file")).isEqualTo("x");
    }

    private static void assertUnavailable(ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        BackendException.class, e -> assertThat(e.kind()).isEqualTo(FailureKind.UNAVAILABLE));
    }
}
