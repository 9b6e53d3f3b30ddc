package io.millrace.backend.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.backend.spi.Backend;
import io.millrace.backend.spi.Capability;
import io.millrace.backend.spi.object.BucketInfo;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A wrong path in the settings is reported at the start, with the folder's name and what to do. */
class FileBackendProviderTest {
    private final FileBackendProvider provider = new FileBackendProvider();

    @TempDir
    Path folder;

    @Test
    void isTheTypeFile() {
        assertThat(provider.type()).isEqualTo("file");
        assertThat(provider.settingsType()).isEqualTo(FileBackendSettings.class);
    }

    @Test
    void missingFolderIsMade() {
        Path root = folder.resolve("not/there/yet");

        Backend backend = create(root);

        assertThat(root).isDirectory();
        assertThat(backend.listBuckets().block()).isEmpty();
        assertThat(backend.capabilities()).contains(Capability.WRITE).doesNotContain(Capability.VERSIONS);
        backend.close().block();
    }

    @Test
    void foldersInItAreBuckets() throws IOException {
        Files.createDirectories(folder.resolve("train"));
        Files.createDirectories(folder.resolve("val-2"));

        Backend backend = create(folder);

        assertThat(backend.listBuckets().blockOptional().orElse(List.of()))
                .extracting(BucketInfo::name)
                .extracting(Object::toString)
                .containsExactly("train", "val-2");
        backend.close().block();
    }

    @Test
    void fileInItsPlaceIsRefused() throws IOException {
        Path file = Files.writeString(folder.resolve("file"), "x");

        assertThatThrownBy(() -> create(file))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(file.toString())
                .hasMessageContaining("is not a folder");
    }

    @Test
    void folderThatCannotBeMadeIsRefused() throws IOException {
        Path file = Files.writeString(folder.resolve("file"), "x");

        assertThatThrownBy(() -> create(file.resolve("below")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(file.resolve("below").toString())
                .hasMessageContaining("create it");
    }

    @Test
    void checksOfOneMissingFolderDoNotDisturbEachOther() {
        FileBackendSettings settings = new FileBackendSettings(folder.resolve("not/there"));

        IntStream.range(0, 2_000).parallel().forEach(check -> provider.requireUsable(settings));

        assertThat(folder).isEmptyDirectory();
    }

    @Test
    void pathThatLeavesNoRoomForKeysIsRefused() {
        assertThatThrownBy(() -> create(folder.resolve(
                        "x".repeat(200) + "/" + "y".repeat(200) + "/" + "z".repeat(200) + "/" + "w".repeat(100))))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("shorter path");
    }

    private Backend create(Path root) {
        return provider.create("local", new FileBackendSettings(root));
    }
}
