package io.millrace.kit.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.io.EOFException;
import java.io.IOException;
import java.nio.charset.MalformedInputException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.FileSystemLoopException;
import java.nio.file.Files;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests that messages about files have a reason in words, with no name of a class. */
class FileFailureTextTest {
    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path folder;

    @Test
    void systemsOwnFailuresAreInWords() throws Exception {
        Path file = Files.writeString(folder.resolve("file"), "");

        assertThat(ofFailure(() -> Files.readString(folder.resolve("none"))))
                .isEqualTo("there is no such file or folder");
        assertThat(ofFailure(() -> Files.createDirectory(file))).isEqualTo(file + " is there already");
        assertThat(ofFailure(() -> Files.delete(folder))).isEqualTo("the folder is not empty");
        assertThat(ofFailure(() -> Files.writeString(file.resolve("below"), "")))
                .isEqualTo("Not a directory");
    }

    @ParameterizedTest
    @MethodSource("failures")
    void otherFailuresAreInWords(IOException failure, String words) {
        assertThat(FileFailureText.of(failure)).isEqualTo(words);
    }

    static Stream<Arguments> failures() {
        return Stream.of(
                Arguments.of(new AccessDeniedException("/a"), "this user has no permission"),
                Arguments.of(new NotDirectoryException("/a"), "/a is no folder"),
                Arguments.of(new FileSystemLoopException("/a"), "its links go round in a circle"),
                Arguments.of(new FileSystemException("/a", null, "Read-only file system"), "Read-only file system"),
                Arguments.of(new FileSystemException("/a"), "no reason is known"),
                Arguments.of(new MalformedInputException(1), "it is not UTF-8"),
                Arguments.of(new IOException("No space left on device"), "No space left on device"),
                Arguments.of(new EOFException(), "it ends too early"),
                Arguments.of(new IOException(), "no reason is known"));
    }

    @Test
    void fileIsNamedOnceIfTheFailureTellsWhichItWas() {
        assertThat(FileFailureText.named(new FileSystemException("/a", null, "Input/output error")))
                .isEqualTo("/a: Input/output error");
        assertThat(FileFailureText.named(new NotDirectoryException("/a"))).isEqualTo("/a is no folder");
        assertThat(FileFailureText.named(new IOException("No space left on device")))
                .isEqualTo("No space left on device");
    }

    private interface FailingAction {
        void run() throws IOException;
    }

    private static String ofFailure(FailingAction action) {
        return FileFailureText.of(catchThrowable(action::run));
    }
}
