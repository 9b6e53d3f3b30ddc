package io.millrace.backend.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.MultipartUploads.CompletedPart;
import io.millrace.backend.spi.MultipartUploads.ListUploadsRequest;
import io.millrace.backend.spi.MultipartUploads.ListedUpload;
import io.millrace.backend.spi.MultipartUploads.MultipartUpload;
import io.millrace.backend.spi.MultipartUploads.StoredPart;
import io.millrace.backend.spi.MultipartUploads.UploadPage;
import io.millrace.backend.spi.ObjectWriter.WriteResult;
import io.millrace.backend.spi.WriteCondition;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.testkit.BufferLeakExtension;
import io.millrace.backend.testkit.Polling;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** Uploads survive restarts, and racing completions and aborts end them once. */
@ExtendWith(BufferLeakExtension.class)
class UploadLifecycleTest {
    private static final int PART = 5 << 20;
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @RegisterExtension
    final FileBackendFixture tree = FileBackendFixture.make();

    @Test
    void uploadContinuesAfterARestart() {
        MultipartUpload upload = begin(tree.backend(), "restarted");
        List<CompletedPart> parts = new ArrayList<>(List.of(part(tree.backend(), upload, 1, new byte[PART])));
        FileBackend next = new FileBackend("next", tree.root());

        assertThat(Objects.requireNonNull(next.listParts(upload, 0, 10).block()).parts())
                .hasSize(1);
        parts.add(part(next, upload, 2, new byte[] {1}));
        complete(next, upload, parts);

        assertThat(tree.head("restarted").size()).isEqualTo(PART + 1);
        next.close().block();
    }

    @Test
    void repeatsLostCompletionResponseAfterARestart() {
        MultipartUpload upload = begin(tree.backend(), "lost");
        List<CompletedPart> parts = List.of(part(tree.backend(), upload, 1, new byte[] {1}));
        WriteResult first = complete(tree.backend(), upload, parts);
        FileBackend next = new FileBackend("next", tree.root());

        assertThat(complete(next, upload, parts).eTag()).isEqualTo(first.eTag());
        next.close().block();
    }

    @Test
    void completionInterruptedAfterRenameCountsAsDone() throws IOException {
        MultipartUpload upload = begin(tree.backend(), "cut");
        List<CompletedPart> parts = List.of(part(tree.backend(), upload, 1, new byte[] {1}));
        Path folder = tree.root().resolve(".millrace/uploads/bucket/" + upload.uploadId());
        Path kept = tree.root().resolve("kept");
        copyFolder(folder, kept);
        WriteResult first = complete(tree.backend(), upload, parts);
        Files.move(kept, folder);
        Files.move(tree.root().resolve(".millrace/completed/" + upload.uploadId()), folder.resolve("completing"));

        WriteResult again = Objects.requireNonNull(tree.backend()
                .completeUpload(upload, parts, HeaderList.EMPTY, new WriteCondition.IfAbsent())
                .block());

        assertThat(again.eTag()).isEqualTo(first.eTag());
        assertThat(folder).doesNotExist();
    }

    @Test
    void completionInterruptedBeforeRenameIsRepeated() throws IOException {
        MultipartUpload upload = begin(tree.backend(), "cut");
        List<CompletedPart> parts = List.of(part(tree.backend(), upload, 1, new byte[] {1}));
        Path folder = tree.root().resolve(".millrace/uploads/bucket/" + upload.uploadId());
        Path kept = tree.root().resolve("kept");
        copyFolder(folder, kept);
        complete(tree.backend(), upload, parts);
        Files.move(kept, folder);
        Files.move(tree.root().resolve(".millrace/completed/" + upload.uploadId()), folder.resolve("completing"));
        tree.delete("cut");

        complete(tree.backend(), upload, parts);

        assertThat(tree.head("cut").size()).isEqualTo(1);
        assertThat(folder).doesNotExist();
    }

    @Test
    void damagedPartIsNoPart() throws IOException {
        MultipartUpload upload = begin(tree.backend(), "damaged");
        CompletedPart part = part(tree.backend(), upload, 1, new byte[100]);
        Path file = tree.root().resolve(".millrace/uploads/bucket/" + upload.uploadId() + "/00001");
        byte[] bytes = Files.readAllBytes(file);
        for (int length : new int[] {0, 5, 100, bytes.length - 1}) {
            Files.write(file, Arrays.copyOf(bytes, length));

            BackendException failure =
                    catchThrowableOfType(BackendException.class, () -> complete(tree.backend(), upload, List.of(part)));

            assertThat(failure.kind()).isEqualTo(FailureKind.INVALID_REQUEST);
        }
        Files.write(file, bytes);
        complete(tree.backend(), upload, List.of(part));
    }

    @Test
    void tenThousandPartsAreOneObject() {
        MultipartUpload upload = begin(tree.backend(), "many");
        List<CompletedPart> parts = Objects.requireNonNull(Flux.range(1, 10_000)
                .flatMapSequential(
                        number -> tree.backend()
                                .putPart(upload, number, HeaderList.EMPTY, FileUploadBodies.of(new byte[] {
                                    number.byteValue()
                                }))
                                .map(UploadLifecycleTest::named),
                        16)
                .collectList()
                .block());

        BackendException failure =
                catchThrowableOfType(BackendException.class, () -> complete(tree.backend(), upload, parts));
        assertThat(failure.s3Error().orElseThrow().code()).isEqualTo("EntityTooSmall");
        complete(tree.backend(), upload, parts.subList(9_999, 10_000));

        assertThat(tree.head("many").size()).isEqualTo(1);
        Polling.until("the parts are deleted", () -> tree.temporaries().isEmpty());
    }

    @Test
    void ofRacingCompletionsAndAbortsOneEndsTheUpload() {
        for (int round = 0; round < 40; round++) {
            String key = "race-" + round;
            MultipartUpload upload = begin(tree.backend(), key);
            List<CompletedPart> parts = List.of(part(tree.backend(), upload, 1, key.getBytes(StandardCharsets.UTF_8)));
            List<String> outcomes = Objects.requireNonNull(Flux.range(0, 6)
                    .flatMap(i -> outcome(i % 3 == 2 ? aborted(upload) : completed(upload, parts)), 6)
                    .collectList()
                    .block());

            boolean isThere = tree.failure(key).isEmpty();
            assertThat(outcomes.contains("completed")).isEqualTo(isThere);
            assertThat(outcomes).containsAnyOf("completed", "aborted").doesNotContain("failed");
            if (isThere) {
                assertThat(outcomes.stream().filter("completed"::equals))
                        .as("all completions")
                        .hasSize(4);
                assertThat(tree.read(key)).isEqualTo(key);
                assertThat(outcomes).as("no abort succeeded").doesNotContain("aborted");
            }
            assertThat(tree.root().resolve(".millrace/uploads/bucket/" + upload.uploadId()))
                    .doesNotExist();
        }
    }

    @Test
    void partsThatRaceWithTheEndLeaveNothingAfter() {
        for (int round = 0; round < 40; round++) {
            MultipartUpload upload = begin(tree.backend(), "late");
            Flux<String> parts = Flux.range(1, 8)
                    .flatMap(
                            number -> outcome(tree.backend()
                                    .putPart(upload, number, HeaderList.EMPTY, FileUploadBodies.of(new byte[100_000]))
                                    .thenReturn("completed")),
                            8);

            List<String> outcomes = Objects.requireNonNull(
                    Flux.merge(parts, outcome(aborted(upload))).collectList().block());

            assertThat(outcomes).doesNotContain("failed");
            assertThat(tree.root().resolve(".millrace/uploads/bucket/" + upload.uploadId()))
                    .doesNotExist();
        }
    }

    /** A pipe can be read only once, so this shows that a page of uploads reads each upload once. */
    @Test
    void listingReadsEachUploadOnce() throws Exception {
        MultipartUpload upload = begin(tree.backend(), "listed");
        Path about = tree.root().resolve(".millrace/uploads/bucket/" + upload.uploadId() + "/upload");
        byte[] text = Files.readAllBytes(about);
        Files.delete(about);
        assertThat(new ProcessBuilder("mkfifo", about.toString()).start().waitFor())
                .isZero();
        CompletableFuture<Path> written = CompletableFuture.supplyAsync(() -> {
            try {
                return Files.write(about, text);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });

        UploadPage page = Objects.requireNonNull(tree.backend()
                .listUploads(new ListUploadsRequest(FileBackendFixture.BUCKET, "", "", "", "", 1000))
                .block(PATIENCE));

        assertThat(page.uploads()).extracting(ListedUpload::upload).containsExactly(upload);
        assertThat(written).succeedsWithin(PATIENCE);
    }

    private Mono<String> completed(MultipartUpload upload, List<CompletedPart> parts) {
        return tree.backend()
                .completeUpload(upload, parts, HeaderList.EMPTY, WriteCondition.ALWAYS)
                .thenReturn("completed");
    }

    private Mono<String> aborted(MultipartUpload upload) {
        return tree.backend().abortUpload(upload, HeaderList.EMPTY).thenReturn("aborted");
    }

    private static Mono<String> outcome(Mono<String> step) {
        return step.subscribeOn(Schedulers.boundedElastic())
                .onErrorResume(
                        BackendException.class,
                        failure -> Mono.just(failure.kind() == FailureKind.NO_SUCH_UPLOAD ? "too late" : "failed"));
    }

    private static MultipartUpload begin(FileBackend backend, String key) {
        return Objects.requireNonNull(
                        backend.createUpload(FileBackendFixture.target(key)).block())
                .upload();
    }

    private static CompletedPart part(FileBackend backend, MultipartUpload upload, int number, byte[] bytes) {
        return named(
                Objects.requireNonNull(backend.putPart(upload, number, HeaderList.EMPTY, FileUploadBodies.of(bytes))
                        .block()));
    }

    private static CompletedPart named(StoredPart part) {
        return new CompletedPart(part.number(), part.eTag(), HeaderList.EMPTY);
    }

    private static WriteResult complete(FileBackend backend, MultipartUpload upload, List<CompletedPart> parts) {
        return Objects.requireNonNull(backend.completeUpload(upload, parts, HeaderList.EMPTY, WriteCondition.ALWAYS)
                .block());
    }

    private static void copyFolder(Path from, Path to) throws IOException {
        Files.createDirectory(to);
        try (Stream<Path> files = Files.list(from)) {
            for (Path file : files.toList()) {
                Files.copy(
                        file, to.resolve(Optional.ofNullable(file.getFileName()).orElseThrow()));
            }
        }
    }
}
