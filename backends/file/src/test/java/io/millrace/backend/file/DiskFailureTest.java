package io.millrace.backend.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.testkit.Polling;
import io.millrace.backend.testkit.PowerCutDisk;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** A full or failing disk and a killed process keep committed objects and leave no unfinished files. */
class DiskFailureTest {
    @RegisterExtension
    final FileBackendFixture tree = FileBackendFixture.make();

    @TempDir
    Path folder;

    @Test
    void fullDiskFailsTheWriteAndKeepsTheObject() throws IOException, InterruptedException {
        assumeTrue(
                run("mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", folder.toString()), "needs the right to mount");
        FileBackendFixture small = FileBackendFixture.at(folder);
        try {
            Files.createDirectory(small.bucket());
            small.write("kept", "old", HeaderList.EMPTY);

            BackendException failure = catchThrowableOfType(
                    BackendException.class, () -> small.write("kept", new byte[4 << 20], HeaderList.EMPTY));

            assertThat(failure.kind()).isEqualTo(FailureKind.UNAVAILABLE);
            assertThat(failure).hasMessageContaining("MiB left");
            assertThat(small.read("kept")).isEqualTo("old");
            assertThat(small.temporaries()).isEmpty();
            small.write("kept", new byte[1 << 20], HeaderList.EMPTY);
            assertThat(small.head("kept").size()).isEqualTo(1 << 20);
        } finally {
            small.backend().close().block();
            run("umount", folder.toString());
        }
    }

    @Test
    void bucketOnAnotherDiskIsWrittenThere() throws IOException, InterruptedException {
        assumeTrue(
                run("mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", folder.toString()), "needs the right to mount");
        try {
            Files.delete(tree.bucket());
            Files.createSymbolicLink(tree.bucket(), folder.toRealPath());

            tree.write("a/b", "x", HeaderList.EMPTY.with("x-amz-meta-a", "1"));
            tree.write("a", "y", HeaderList.EMPTY);

            assertThat(tree.keys()).containsExactly("a", "a/b");
            assertThat(tree.head("a/b").headers().first("x-amz-meta-a")).contains("1");
            assertThat(folder.resolve("%%tmp")).isEmptyDirectory();
        } finally {
            run("umount", folder.toString());
        }
    }

    /** A client that gets a 404 may delete its copy, and a cache remembers it. */
    @Test
    void objectsOnAFailedDiskAreUnavailableNotMissing() throws IOException {
        Optional<PowerCutDisk> disk = PowerCutDisk.mount(folder);
        assumeTrue(disk.isPresent(), "needs root and xfsprogs");
        try (PowerCutDisk failing = disk.get()) {
            FileBackendFixture there = FileBackendFixture.at(failing.folder());
            Files.createDirectory(there.bucket());
            there.write("a/key", "x", HeaderList.EMPTY);

            failing.cutPower();

            assertThat(there.failure("a/key")).contains(FailureKind.UNAVAILABLE);
            assertThat(there.failure("other")).contains(FailureKind.UNAVAILABLE);
            assertThat(catchThrowableOfType(BackendException.class, there::keys).kind())
                    .isEqualTo(FailureKind.UNAVAILABLE);
            assertThat(catchThrowableOfType(BackendException.class, () -> there.write("other", "x", HeaderList.EMPTY))
                            .kind())
                    .isEqualTo(FailureKind.UNAVAILABLE);
            there.backend().close().block();
        }
    }

    @Test
    void deletesOldTemporaryFilesOfAKilledProcess() throws IOException {
        Path temporaries = Files.createDirectories(tree.root().resolve(".millrace/tmp"));
        Path old = Files.writeString(temporaries.resolve("1f-a0b1-7"), "x");
        Path oldFolder = Files.createDirectory(temporaries.resolve("1f-a0b1-8"));
        Files.writeString(oldFolder.resolve("00001"), "x");
        Path fresh = Files.writeString(temporaries.resolve("1f-a0b1-9"), "x");
        Path foreign = Files.writeString(temporaries.resolve("notes.txt"), "x");
        FileTime longAgo = FileTime.from(Instant.now().minusSeconds(3600));
        for (Path file : new Path[] {old, oldFolder, foreign}) {
            Files.setLastModifiedTime(file, longAgo);
        }

        FileBackend next = new FileBackend("next", tree.root());
        next.start();
        Polling.until("they are deleted", () -> !Files.exists(old) && !Files.exists(oldFolder));

        assertThat(fresh).exists();
        assertThat(foreign).exists();
        next.close().block();
        Files.delete(fresh);
        Files.delete(foreign);
    }

    private static boolean run(String... command) throws IOException, InterruptedException {
        return new ProcessBuilder(command).start().waitFor() == 0;
    }
}
