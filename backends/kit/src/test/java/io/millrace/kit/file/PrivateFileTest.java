package io.millrace.kit.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Keys that were shown once are kept: a start that finds another one, or an empty file, needs a hand. */
class PrivateFileTest {
    @TempDir
    Path folder;

    @Test
    void onlyItsOwnerReadsIt() throws IOException {
        PrivateFile.write(folder.resolve("keys"), List.of("secret"));

        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(folder.resolve("keys"))))
                .isEqualTo("rw-------");
        assertThat(folder.toFile().list()).containsExactly("keys");
    }

    @Test
    void aFailureLeavesNoTemporaryFile() throws IOException {
        Files.createDirectories(folder.resolve("keys/full"));

        assertThatThrownBy(() -> PrivateFile.write(folder.resolve("keys"), List.of("secret")))
                .isInstanceOf(IOException.class);

        assertThat(folder.toFile().list()).containsExactly("keys");
    }
}
