package io.millrace.backend.file;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.object.HeaderList;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The object {@code a} survives the creation of {@code a/b}, when its file becomes a file in the folder {@code a}. */
class FileToFolderConversionTest {
    /** File name prefix of an earlier process. */
    private static final String BEFORE = "abc-def-1";

    @RegisterExtension
    final FileBackendFixture tree = FileBackendFixture.make();

    @Test
    void objectAndTheOnesBelowItComeAndGo() {
        HeaderList headers = HeaderList.EMPTY.with("x-amz-meta-a", "1");
        tree.write("a", "first", headers);
        tree.write("a/b/c", "deep", HeaderList.EMPTY);
        tree.write("a/b", "middle", HeaderList.EMPTY);

        assertThat(tree.read("a")).isEqualTo("first");
        assertThat(tree.head("a").headers().first("x-amz-meta-a")).contains("1");
        assertThat(tree.keys()).containsExactly("a", "a/b", "a/b/c");
        tree.delete("a/b/c");
        tree.delete("a");
        assertThat(tree.keys()).containsExactly("a/b");
        tree.delete("a/b");
        assertThat(tree.bucket()).isEmptyDirectory();
    }

    @Test
    void readerNeverMissesTheFileThatMakesWay() throws InterruptedException {
        AtomicInteger latest = new AtomicInteger(-1);
        AtomicBoolean done = new AtomicBoolean();
        Queue<String> missed = new ConcurrentLinkedQueue<>();
        Thread reader = new Thread(() -> {
            while (!done.get()) {
                String key = "way-" + latest.get();
                if (!key.equals("way--1") && tree.failure(key).equals(Optional.of(FailureKind.NO_SUCH_KEY))) {
                    missed.add(key);
                }
            }
        });
        reader.start();
        for (int i = 0; i < 60; i++) {
            tree.write("way-" + i, "x", HeaderList.EMPTY);
            latest.set(i);
            tree.write("way-" + i + "/below", "y", HeaderList.EMPTY);
        }
        done.set(true);
        reader.join();

        assertThat(missed).isEmpty();
    }

    @Test
    void startCompletesAnInterruptedMove() throws IOException {
        HeaderList headers = HeaderList.EMPTY.with("x-amz-meta-a", "1");
        tree.write("d/\u00E4", "kept", headers);
        Path file = tree.bucket().resolve("d").resolve("\u00E4");
        Path folder = half("bucket\nd\n%C3%A4\n", file);
        Files.delete(file);
        assertThat(tree.failure("d/\u00E4")).contains(FailureKind.NO_SUCH_KEY);

        start();

        assertThat(tree.read("d/\u00E4")).isEqualTo("kept");
        assertThat(tree.head("d/\u00E4").headers().first("x-amz-meta-a")).contains("1");
        assertThat(folder).doesNotExist();
    }

    @Test
    void startUndoesAMoveThatHadNotBegun() throws IOException {
        tree.write("a", "kept", HeaderList.EMPTY);
        half("bucket\na\n", tree.bucket().resolve("a"));

        start();

        assertThat(tree.read("a")).isEqualTo("kept");
        assertThat(tree.bucket().resolve("a")).isRegularFile();
    }

    @Test
    void dropsMoveRecordOfADeletedBucket() throws IOException {
        tree.write("a", "x", HeaderList.EMPTY);
        half("another\na\n", tree.bucket().resolve("a"));

        start();

        assertThat(tree.keys()).containsExactly("a");
        assertThat(tree.temporaries()).isEmpty();
    }

    /** A link to nothing is found in the folder and cannot be read, as what another process deletes in between. */
    @Test
    void startPassesOverANoteThatVanishes() throws IOException {
        tree.write("a", "x", HeaderList.EMPTY);
        Path gone = tree.root().resolve("gone");
        Files.createSymbolicLink(tree.root().resolve(".millrace/tmp").resolve(BEFORE + ".way"), gone);

        start();

        assertThat(tree.keys()).containsExactly("a");
    }

    /** Creates the files that a process leaves when it dies between the two renames, except for the file itself. */
    private Path half(String note, Path file) throws IOException {
        Path temporaries = tree.root().resolve(".millrace/tmp");
        Path folder = Files.createDirectory(temporaries.resolve(BEFORE));
        Files.createLink(folder.resolve("%%~"), file);
        Files.writeString(temporaries.resolve(BEFORE + ".way"), note);
        return folder;
    }

    private void start() throws IOException {
        FileBackend next = new FileBackend("next", tree.root());
        next.start();
        next.close().block();
        assertThat(tree.temporaries()).isEmpty();
    }
}
