package io.millrace.backend.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.BackendException.S3Error;
import io.millrace.backend.spi.BucketManager.NewBucket;
import io.millrace.backend.spi.object.BucketInfo;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.HeaderList;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Deleting a bucket keeps what is no object: its folder is used by operators, too. */
class FileBucketManagerTest {
    @RegisterExtension
    final FileBackendFixture tree = FileBackendFixture.make();

    @TempDir
    Path outside;

    @Test
    void deletesEmptyFoldersUploadsAndMetadataWithTheBucket() throws IOException {
        tree.write("a/b", "x", HeaderList.EMPTY);
        tree.delete("a/b");
        tree.write("c", "x", HeaderList.EMPTY);
        Files.delete(tree.bucket().resolve("c"));
        Files.createDirectories(tree.bucket().resolve("empty/and/deep"));
        tree.backend().createUpload(FileBackendFixture.target("upload")).block();

        tree.backend().deleteBucket(FileBackendFixture.BUCKET).block();

        assertThat(tree.bucket()).doesNotExist();
        assertThat(tree.root().resolve(".millrace/meta/bucket")).doesNotExist();
        assertThat(tree.root().resolve(".millrace/uploads/bucket")).doesNotExist();
    }

    @Test
    void refusesToDeleteBucketWithForeignFiles() throws IOException {
        Files.createSymbolicLink(tree.bucket().resolve("link"), outside);
        assertNotEmpty();
        Files.delete(tree.bucket().resolve("link"));
        Path odd = tree.put("deep/%%no-object", "x");
        assertNotEmpty();
        Files.delete(odd);
        tree.put("by-hand", "x");
        assertNotEmpty();

        assertThat(tree.read("by-hand")).isEqualTo("x");
    }

    @Test
    void deletingALinkedBucketDeletesOnlyTheLink() throws IOException {
        Path link = Files.createSymbolicLink(tree.root().resolve("linked"), outside.toRealPath());

        tree.backend().deleteBucket(new BucketName("linked")).block();

        assertThat(link).doesNotExist();
        assertThat(outside).isDirectory();
    }

    @Test
    void bucketNameOfAnExistingFileIsUnavailable() throws IOException {
        Files.writeString(tree.root().resolve("taken"), "x");

        BackendException failure = catchThrowableOfType(
                BackendException.class,
                () -> tree.backend()
                        .createBucket(NewBucket.of(new BucketName("taken")))
                        .block());

        assertThat(failure.s3Error().map(S3Error::code)).contains("BucketAlreadyExists");
    }

    @Test
    void lockedBucketIsRefused() {
        HeaderList locked = HeaderList.EMPTY.with("x-amz-bucket-object-lock-enabled", "true");
        BucketName name = new BucketName("locked");

        BackendException failure = catchThrowableOfType(
                BackendException.class,
                () -> tree.backend()
                        .createBucket(new NewBucket(name, locked, List.of()))
                        .block());

        assertThat(failure.kind()).isEqualTo(FailureKind.UNSUPPORTED);
        assertThat(tree.root().resolve("locked")).doesNotExist();
    }

    @Test
    void linksAreNotWrittenThrough() throws IOException {
        Path secret = Files.writeString(outside.resolve("secret"), "secret");
        Files.createSymbolicLink(tree.bucket().resolve("folder"), outside);
        Files.createSymbolicLink(tree.bucket().resolve("file"), secret);

        BackendException failure = catchThrowableOfType(
                BackendException.class, () -> tree.write("folder/secret", "changed", HeaderList.EMPTY));
        tree.write("file", "ours", HeaderList.EMPTY);
        tree.delete("folder");

        assertThat(failure.kind()).isEqualTo(FailureKind.INVALID_REQUEST);
        assertThat(secret).hasContent("secret");
        assertThat(tree.read("file")).isEqualTo("ours");
        assertThat(outside).isDirectoryContaining(path -> path.endsWith("secret"));
    }

    @Test
    void bucketsAreListedWhileAnotherComesAndGoes() throws InterruptedException {
        BucketName passing = new BucketName("passing");
        AtomicBoolean done = new AtomicBoolean();
        Queue<Throwable> failures = new ConcurrentLinkedQueue<>();
        Thread lister = new Thread(() -> {
            while (!done.get()) {
                try {
                    assertThat(Objects.requireNonNull(
                                    tree.backend().listBuckets().block()))
                            .extracting(BucketInfo::name)
                            .contains(FileBackendFixture.BUCKET);
                } catch (RuntimeException | AssertionError e) {
                    failures.add(e);
                }
            }
        });
        lister.start();
        try {
            for (int i = 0; i < 200; i++) {
                tree.backend().createBucket(NewBucket.of(passing)).block();
                tree.backend().deleteBucket(passing).block();
            }
        } finally {
            done.set(true);
            lister.join();
        }

        assertThat(failures).isEmpty();
    }

    private void assertNotEmpty() {
        BackendException failure = catchThrowableOfType(
                BackendException.class,
                () -> tree.backend().deleteBucket(FileBackendFixture.BUCKET).block());
        assertThat(failure.s3Error().map(S3Error::code)).contains("BucketNotEmpty");
        assertThat(tree.bucket()).isDirectory();
    }
}
