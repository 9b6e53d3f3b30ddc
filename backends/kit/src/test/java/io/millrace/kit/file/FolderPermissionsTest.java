package io.millrace.kit.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests that a folder which cannot be created is told from one that can, and that neither is created. */
class FolderPermissionsTest {
    @TempDir
    Path folder;

    @Test
    void missingFolderIsNotCreated() throws IOException {
        FolderPermissions.requireCreatable(folder.resolve("not/there/yet"));

        assertThat(folder).isEmptyDirectory();
    }

    @Test
    void existingFolderIsNotWritten() throws IOException {
        FileTime before = FileTime.fromMillis(0);
        Files.setLastModifiedTime(folder, before);

        FolderPermissions.requireCreatable(folder);

        assertThat(Files.getLastModifiedTime(folder)).isEqualTo(before);
    }

    @Test
    void fileAboveIsNamed() throws IOException {
        Path file = Files.writeString(folder.resolve("file"), "x");

        assertThatThrownBy(() -> FolderPermissions.requireCreatable(file.resolve("below/it")))
                .isInstanceOf(NotDirectoryException.class)
                .hasMessage(file.toString());
    }

    @Test
    void danglingLinkIsNoFolder() throws IOException {
        Path link = Files.createSymbolicLink(folder.resolve("link"), folder.resolve("gone"));

        assertThatThrownBy(() -> FolderPermissions.requireCreatable(link)).isInstanceOf(NotDirectoryException.class);
    }

    @Test
    void linkToFolderIsAFolder() throws IOException {
        Path link = Files.createSymbolicLink(folder.resolve("link"), Files.createDirectory(folder.resolve("real")));

        FolderPermissions.requireCreatable(link.resolve("below"));
    }

    @Test
    void folderOfAnotherUserIsRefused() throws IOException {
        Path closed = Files.createDirectory(
                folder.resolve("closed"),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("r-xr-xr-x")));
        assumeFalse(Files.isWritable(closed), "root may write anywhere");

        assertThatThrownBy(() -> FolderPermissions.requireCreatable(closed.resolve("below")))
                .isInstanceOf(AccessDeniedException.class)
                .hasMessage(closed.toString());
    }
}
