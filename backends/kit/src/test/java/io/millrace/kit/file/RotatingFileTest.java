package io.millrace.kit.file;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests that lines go to the file that has the name, whoever renames files: this program or logrotate. */
class RotatingFileTest {
    @TempDir
    Path folder;

    private final AtomicLong millis = new AtomicLong();
    private final List<IOException> notRotated = new ArrayList<>();

    @Test
    void largeFileIsRenamedAndTheOldestIsDeleted() throws IOException {
        try (RotatingFile file = open(10, 1)) {
            for (String line : new String[] {"the first\n", "the second\n", "the third\n"}) {
                file.append(line.getBytes(UTF_8));
            }
        }

        assertThat(folder.toFile().list()).containsExactlyInAnyOrder("a.log", "a-19700101T000000.002Z.log");
        assertThat(folder.resolve("a-19700101T000000.002Z.log")).hasContent("the second");
        assertThat(folder.resolve("a.log")).hasContent("the third");
    }

    @Test
    void filesOfOthersAreNeitherCountedNorDeleted() throws IOException {
        Files.createFile(folder.resolve("a-0of-another-programs.log"));
        Files.createFile(folder.resolve("a-of-another-programs2.log"));

        try (RotatingFile file = open(1, 1)) {
            for (int i = 0; i < 3; i++) {
                file.append("line\n".getBytes(UTF_8));
            }
        }

        assertThat(folder.toFile().list())
                .containsExactlyInAnyOrder(
                        "a.log",
                        "a-19700101T000000.002Z.log",
                        "a-0of-another-programs.log",
                        "a-of-another-programs2.log");
    }

    @Test
    void fileThatCannotBeRenamedIsWrittenFurther() throws IOException {
        Path taken = Files.createDirectory(folder.resolve("a-19700101T000000.001Z.log"));
        try (RotatingFile file = open(1, 1)) {
            for (int i = 0; i < 3; i++) {
                file.append("line\n".getBytes(UTF_8));
            }
            assertThat(notRotated).singleElement().asString().contains(taken.toString());
            assertThat(folder.resolve("a.log")).hasContent("line\nline\nline");

            millis.addAndGet(60_000);
            file.append("later\n".getBytes(UTF_8));
        }

        assertThat(notRotated).hasSize(1);
        assertThat(folder.resolve("a.log")).hasContent("later");
    }

    /** As logrotate leaves it with {@code create}. */
    @Test
    void lineGoesToTheFileThatTookThePlaceOfAnother() throws IOException {
        try (RotatingFile file = open(1000, 1)) {
            file.append("before\n".getBytes(UTF_8));
            Files.move(folder.resolve("a.log"), folder.resolve("a.log.1"));
            Files.createFile(
                    folder.resolve("a.log"),
                    PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-r-----")));
            file.append("after\n".getBytes(UTF_8));
        }

        assertThat(folder.resolve("a.log.1")).hasContent("before");
        assertThat(folder.resolve("a.log")).hasContent("after");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(folder.resolve("a.log"))))
                .isEqualTo("rw-r-----");
    }

    /** As logrotate leaves it with {@code nocreate}. */
    @Test
    void fileThatWasTakenAwayIsMadeForItsOwner() throws IOException {
        try (RotatingFile file = open(1000, 1)) {
            file.append("before\n".getBytes(UTF_8));
            Files.move(folder.resolve("a.log"), folder.resolve("a.log.1"));
            file.append("after\n".getBytes(UTF_8));
        }

        assertThat(folder.resolve("a.log")).hasContent("after");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(folder.resolve("a.log"))))
                .isEqualTo("rw-------");
    }

    /** As logrotate leaves it with {@code copytruncate}. */
    @Test
    void truncatedFileIsWrittenFromItsStart() throws IOException {
        try (RotatingFile file = open(1000, 1)) {
            file.append("before\n".getBytes(UTF_8));
            Files.write(folder.resolve("a.log"), new byte[0]);
            file.append("after\n".getBytes(UTF_8));
        }

        assertThat(folder.resolve("a.log")).hasContent("after");
    }

    private RotatingFile open(long rotateAt, int keep) {
        return new RotatingFile(
                folder.resolve("a.log"),
                rotateAt,
                keep,
                () -> Instant.ofEpochMilli(millis.incrementAndGet()),
                notRotated::add);
    }
}
