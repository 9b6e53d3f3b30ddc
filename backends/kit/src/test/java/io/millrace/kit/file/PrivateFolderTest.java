package io.millrace.kit.file;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PrivateFolderTest {
    @TempDir
    Path folder;

    @Test
    void newFoldersAreTheirOwners() throws IOException {
        Path deep = folder.resolve("a/b");

        PrivateFolder.create(deep);

        assertThat(mode(deep)).isEqualTo("rwx------");
        assertThat(mode(folder.resolve("a"))).isEqualTo("rwx------");
    }

    @Test
    void existingFolderLosesTheRightsOfOthers() throws IOException {
        Path shared = withMode(Files.createDirectory(folder.resolve("shared")), "rwxrwxr-x");

        assertThat(PrivateFolder.restrict(shared)).isTrue();

        assertThat(mode(shared)).isEqualTo("rwx------");
    }

    @Test
    void rightsThatTheOwnerLacksAreNotGiven() throws IOException {
        Path readOnly = withMode(Files.createDirectory(folder.resolve("read-only")), "r-xr-xr-x");

        assertThat(PrivateFolder.restrict(readOnly)).isTrue();

        assertThat(mode(readOnly)).isEqualTo("r-x------");
        withMode(readOnly, "rwx------");
    }

    @Test
    void foldersOfAnotherFileSystemStayAsTheyAre() throws IOException {
        // Its rights cannot be changed, whoever asks.
        assertThat(PrivateFolder.restrict(Path.of("/proc/self"))).isFalse();
        assertThat(PrivateFolder.whyShared(Path.of("/proc/self"))).contains("its file system");
        assertThat(PrivateFolder.isOfAnotherUser(Path.of("/proc/self"))).isFalse();
    }

    @Test
    void folderOfAnotherUserIsNamedWithItsOwner() throws IOException {
        Object me = Files.getAttribute(folder, "unix:uid");
        Path others = Path.of("/");
        if (me.equals(0)) {
            others = Files.createDirectory(folder.resolve("others"));
            Files.setAttribute(others, "unix:uid", 12_345);
        }

        assertThat(PrivateFolder.isOfAnotherUser(others)).isTrue();
        assertThat(PrivateFolder.whyShared(others))
                .isEqualTo("as it belongs to uid %s and this process runs as uid %s: chown it"
                        .formatted(Files.getAttribute(others, "unix:uid"), me));
    }

    @Test
    void replacedFileIsItsOwnersWhateverItWas() throws IOException {
        Path file = withMode(Files.writeString(folder.resolve("state"), "old"), "rw-r--r--");
        withMode(Files.writeString(DurableFiles.freshBeside(file), "half-written, and longer"), "rw-rw-rw-");

        DurableFiles.replace(file, "new".getBytes(StandardCharsets.UTF_8));

        assertThat(file).hasContent("new");
        assertThat(mode(file)).isEqualTo("rw-------");
    }

    private static Path withMode(Path path, String mode) throws IOException {
        return Files.setPosixFilePermissions(path, PosixFilePermissions.fromString(mode));
    }

    private static String mode(Path path) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
    }
}
