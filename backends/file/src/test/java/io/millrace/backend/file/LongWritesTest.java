package io.millrace.backend.file;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.spi.ByteRange;
import io.millrace.backend.spi.Conditions;
import io.millrace.backend.spi.HeaderList;
import io.millrace.backend.spi.MultipartUploads.NamedPart;
import io.millrace.backend.spi.MultipartUploads.StoredPart;
import io.millrace.backend.spi.MultipartUploads.Upload;
import io.millrace.backend.spi.ObjectWriter.CopySource;
import io.millrace.backend.spi.ObjectWriter.Deletion;
import io.millrace.backend.spi.WriteCondition;
import io.millrace.backend.testkit.LeakGuard;
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

/** A copy or a completion may move many GiB. However many there are, a small write does not wait for them. */
@ExtendWith(LeakGuard.class)
class LongWritesTest {
    /** As many as would take every thread that writes, and more. */
    private static final int MANY = 2 * FilePool.THREADS;

    @RegisterExtension
    final FileTree tree = FileTree.make();

    @Test
    void copiesHoldNoSmallWriteUp() throws Exception {
        tree.write("source", "bytes", HeaderList.EMPTY);

        whileTheyTakeLong(number -> tree.backend().copy(source(), FileTree.target("copy-" + number)));

        assertThat(tree.keys()).hasSize(1 + MANY);
    }

    @Test
    void copiesIntoPartsHoldNoSmallWriteUp() throws Exception {
        tree.write("source", "bytes", HeaderList.EMPTY);
        Upload upload = begin("parts");

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
            Upload upload = begin("whole-" + number);
            StoredPart part = Objects.requireNonNull(tree.backend()
                    .putPart(upload, 1, HeaderList.EMPTY, Pieces.of(new byte[] {1}))
                    .block());
            NamedPart named = new NamedPart(1, part.eTag(), HeaderList.EMPTY);
            return tree.backend().completeUpload(upload, List.of(named), HeaderList.EMPTY, WriteCondition.ALWAYS);
        });

        assertThat(tree.keys()).hasSize(MANY);
    }

    /** Each holds the thread it ran on until a small object was written and deleted. */
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
                    .put(FileTree.target("small"), Pieces.of(new byte[] {1}))
                    .then(tree.backend().delete(Deletion.of(FileTree.ref("small")), HeaderList.EMPTY))
                    .block(Duration.ofSeconds(10));

            assertThat(ended).hasValue(0);
        } finally {
            written.countDown();
        }
        Waiting.until("all have ended", () -> ended.get() == MANY);
        running.dispose();
    }

    private Upload begin(String key) {
        return Objects.requireNonNull(
                        tree.backend().createUpload(FileTree.target(key)).block())
                .upload();
    }

    private static CopySource source() {
        return new CopySource(FileTree.ref("source"), Optional.empty(), Conditions.NONE);
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
