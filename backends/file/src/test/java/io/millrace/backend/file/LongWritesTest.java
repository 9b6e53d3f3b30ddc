package io.millrace.backend.file;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.spi.MultipartUploads.CompletedPart;
import io.millrace.backend.spi.MultipartUploads.MultipartUpload;
import io.millrace.backend.spi.MultipartUploads.StoredPart;
import io.millrace.backend.spi.ObjectWriter.CopySource;
import io.millrace.backend.spi.ObjectWriter.Deletion;
import io.millrace.backend.spi.WriteCondition;
import io.millrace.backend.spi.object.ByteRange;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ReadConditions;
import io.millrace.backend.testkit.BufferLeakExtension;
import io.millrace.backend.testkit.Polling;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Copies and completions, which may move many GiB, never delay small writes. */
@ExtendWith(BufferLeakExtension.class)
class LongWritesTest {
    /** Number of long writes: more than all write threads. */
    private static final int MANY = 2 * FileThreadPool.THREADS;

    @RegisterExtension
    final FileBackendFixture tree = FileBackendFixture.make();

    @Test
    void copiesHoldNoSmallWriteUp() throws Exception {
        tree.write("source", "bytes", HeaderList.EMPTY);

        whileTheyTakeLong(number -> tree.backend().copy(source(), FileBackendFixture.target("copy-" + number)));

        assertThat(tree.keys()).hasSize(1 + MANY);
    }

    @Test
    void copiesIntoPartsHoldNoSmallWriteUp() throws Exception {
        tree.write("source", "bytes", HeaderList.EMPTY);
        MultipartUpload upload = begin("parts");

        whileTheyTakeLong(number -> tree.backend()
                .copyPart(upload, 1 + number, source(), Optional.of(new ByteRange(0, 2)), HeaderList.EMPTY));

        assertThat(Objects.requireNonNull(
                                tree.backend().listParts(upload, 0, 1000).block())
                        .parts())
                .hasSize(MANY);
    }

    @Test
    void completionsHoldNoSmallWriteUp() throws Exception {
        whileTheyTakeLong(number -> {
            MultipartUpload upload = begin("whole-" + number);
            StoredPart part = Objects.requireNonNull(tree.backend()
                    .putPart(upload, 1, HeaderList.EMPTY, FileUploadBodies.of(new byte[] {1}))
                    .block());
            CompletedPart named = new CompletedPart(1, part.eTag(), HeaderList.EMPTY);
            return tree.backend().completeUpload(upload, List.of(named), HeaderList.EMPTY, WriteCondition.ALWAYS);
        });

        assertThat(tree.keys()).hasSize(MANY);
    }

    /** Starts long writes, each of which holds its thread until a small object was written and deleted. */
    private void whileTheyTakeLong(IntFunction<Mono<?>> work) throws InterruptedException {
        CountDownLatch written = new CountDownLatch(1);
        AtomicInteger ended = new AtomicInteger();
        List<Mono<?>> all = Flux.range(0, MANY)
                .<Mono<?>>map(work::apply)
                .collectList()
                .blockOptional()
                .orElseThrow();
        CountDownLatch begun = new CountDownLatch(1);
        Disposable running = Flux.fromIterable(all)
                .flatMap(
                        one -> one.doOnNext(result -> {
                            begun.countDown();
                            await(written);
                            ended.incrementAndGet();
                        }),
                        MANY)
                .subscribe();
        try {
            begun.await();
            tree.backend()
                    .put(FileBackendFixture.target("small"), FileUploadBodies.of(new byte[] {1}))
                    .then(tree.backend().delete(Deletion.of(FileBackendFixture.ref("small")), HeaderList.EMPTY))
                    .block(Duration.ofSeconds(60));

            assertThat(ended).hasValue(0);
        } finally {
            written.countDown();
        }
        Polling.until("all have ended", () -> ended.get() == MANY);
        running.dispose();
    }

    private MultipartUpload begin(String key) {
        return Objects.requireNonNull(tree.backend()
                        .createUpload(FileBackendFixture.target(key))
                        .block())
                .upload();
    }

    private static CopySource source() {
        return new CopySource(FileBackendFixture.ref("source"), Optional.empty(), ReadConditions.NONE);
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
