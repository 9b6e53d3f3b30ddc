package io.millrace.config.binding;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import io.millrace.config.SettingDescription;
import io.millrace.config.problem.SettingsException;
import io.millrace.config.problem.SettingsProblem;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests problems with the file itself: a wrong path, the wrong file, no permission to read it. */
class SettingsFileTest {
    private static final SettingsReader READER = new SettingsReader(SampleSettings.VARIANTS, Map.of());

    @TempDir
    Path folder;

    record Where(@SettingDescription("x") Path data) {}

    @Test
    void pathsAreRelativeToTheFolderOfTheFile() throws Exception {
        Path file = write("data: ./x");
        LoadedSettings<Where> loaded = READER.read(file, Where.class);
        assertThat(loaded.settings().data()).isEqualTo(folder.resolve("x"));
        assertThat(loaded.source()).isEqualTo(file.toString());
    }

    @Test
    void resolvesPlainNamesInTheWorkingFolder() throws Exception {
        Path here = Path.of("").toAbsolutePath();
        Path relative = here.relativize(write("data: y"));
        assertThat(READER.read(relative, Where.class).settings().data()).isEqualTo(folder.resolve("y"));
    }

    @Test
    void problemsNameFileAndLine() throws Exception {
        Path file = write("# first\n\ndata: ~/x\n");
        SettingsProblem problem = problem(file);
        assertThat(problem.source()).isEqualTo(file.toString());
        assertThat(problem.line()).isEqualTo(3);
        assertThat(problem.toString()).startsWith(file + ":3  data: ~/x\n");
    }

    @Test
    void skipsTheByteOrderMark() throws Exception {
        assertThat(READER.read(write("\uFEFFdata: x"), Where.class).settings().data())
                .isEqualTo(folder.resolve("x"));
    }

    @Test
    void windowsLineEndsAreFine() throws Exception {
        assertThat(problem(write("# a\r\ndata: ~\r\n")).line()).isEqualTo(2);
    }

    @Test
    void aMissingFileIsSaidToBeMissing() {
        SettingsProblem problem = problem(folder.resolve("none.yaml"));
        assertThat(problem.description()).isEqualTo("there is no such file");
        assertThat(problem.line()).isZero();
        assertThat(problem(folder.resolve("none/x.yaml")).description()).isEqualTo("there is no such file");
    }

    @Test
    void aFileWithinAFileIsNotThere() throws Exception {
        assertThat(problem(write("data: x").resolve("y")).description())
                .isEqualTo("the file cannot be read: Not a directory");
    }

    @Test
    void aFolderIsNoFile() {
        assertThat(problem(folder).description()).isEqualTo("is a folder");
    }

    @Test
    void anUnreadableFileIsSaidToBeUnreadable() throws Exception {
        Path file = write("data: x");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("---------"));
        assumeFalse(Files.isReadable(file), "root reads everything");
        assertThat(problem(file).description()).isEqualTo("the file may not be read");
    }

    @Test
    void anEmptyFileIsNotTakenForDefaults() throws Exception {
        for (String text : new String[] {"", "\n", "# nothing\n", "---\n", "~\n"}) {
            assertThat(problem(write(text)).description()).isEqualTo("is empty");
        }
    }

    @Test
    void refusesFilesAboveOneMebibyte() throws Exception {
        String start = "data: x\n#";
        String full = start + "y".repeat(SettingsFile.LARGEST - start.length());
        assertThat(READER.read(write(full), Where.class).settings().data()).isEqualTo(folder.resolve("x"));
        assertThat(problem(write(full + "y")).description()).isEqualTo("is larger than 1MiB");
    }

    @Test
    void theLimitCountsBytesAndNotCharacters() throws Exception {
        String full = "data: x\n#" + "ü".repeat(SettingsFile.LARGEST / 2);
        assertThat(problem(write(full)).description()).isEqualTo("is larger than 1MiB");
    }

    @Test
    void otherEncodingsAreRefused() throws Exception {
        for (byte[] bytes : new byte[][] {
            "data: ü".getBytes(StandardCharsets.ISO_8859_1),
            "data: x".getBytes(StandardCharsets.UTF_16),
            {'d', (byte) 0xc0, (byte) 0x80}
        }) {
            assertThat(problem(Files.write(folder.resolve("b.yaml"), bytes)).description())
                    .isEqualTo("is not UTF-8 text");
        }
    }

    @Test
    void textThatComesWithTheProgramMayBeEmpty() throws Exception {
        record AllOptional(
                @SettingDescription(value = "x", defaultValue = "./data")
                Path data) {}
        LoadedSettings<AllOptional> loaded = READER.readText("", folder, AllOptional.class);
        assertThat(loaded.settings().data()).isEqualTo(folder.resolve("data"));
        assertThat(loaded.source()).isEqualTo("built-in defaults");
    }

    private Path write(String text) throws IOException {
        return Files.writeString(folder.resolve("millrace.yaml"), text);
    }

    private static SettingsProblem problem(Path file) {
        SettingsException refused = catchThrowableOfType(SettingsException.class, () -> READER.read(file, Where.class));
        assertThat(refused.problems()).hasSize(1);
        assertThat(refused.problems().get(0).remedy()).isNotEmpty();
        return refused.problems().get(0);
    }
}
