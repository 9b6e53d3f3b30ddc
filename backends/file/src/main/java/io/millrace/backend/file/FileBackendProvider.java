package io.millrace.backend.file;

import io.millrace.backend.spi.Backend;
import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendProvider;
import io.millrace.kit.file.FileFailureText;
import io.millrace.kit.file.FolderPermissions;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** Creates backends of type {@code file}: objects as plain files below a folder. */
public final class FileBackendProvider implements BackendProvider<FileBackendSettings> {
    /**
     * Longest path of the root folder in bytes. Linux accepts paths of 4,095 bytes; the longest encoded key has about
     * 3,100, the longest bucket name 255.
     */
    private static final int MAX_ROOT_BYTES = 700;

    @Override
    public String type() {
        return "file";
    }

    @Override
    public Class<FileBackendSettings> settingsType() {
        return FileBackendSettings.class;
    }

    @Override
    public boolean isRemote() {
        return false;
    }

    @Override
    public void requireUsable(FileBackendSettings settings) {
        Path root = settings.path().toAbsolutePath().normalize();
        checkLength(root);
        if (Files.exists(root)) {
            checkFolder(root);
            return;
        }
        try {
            FolderPermissions.requireCreatable(root);
        } catch (IOException e) {
            throw uncreatable(root, e);
        }
    }

    /**
     * {@inheritDoc}
     *
     * <p>Creates the folder if it is missing. A folder without write permission is served read-only.
     */
    @Override
    public Backend create(String name, FileBackendSettings settings) {
        Path root = settings.path().toAbsolutePath().normalize();
        checkLength(root);
        makeFolder(root);
        checkFolder(root);
        FileBackend backend = new FileBackend(name, root);
        try {
            backend.start();
        } catch (IOException | BackendException e) {
            throw new IllegalArgumentException(
                    ("in %s an interrupted write cannot be recovered (%s): give write permission there, and check the"
                                    + " disk")
                            .formatted(root, FileFailureText.of(e)),
                    e);
        }
        return backend;
    }

    private static void checkFolder(Path root) {
        if (!Files.isDirectory(root)) {
            throw new IllegalArgumentException(
                    "%s is not a folder: set path to the folder that holds the buckets".formatted(root));
        }
        if (!Files.isReadable(root) || !Files.isExecutable(root)) {
            throw new IllegalArgumentException(
                    "the folder %s cannot be read: give the user that runs this program at least r-x permission"
                            .formatted(root));
        }
    }

    private static void checkLength(Path root) {
        int length = root.toString().getBytes(StandardCharsets.UTF_8).length;
        if (length > MAX_ROOT_BYTES) {
            throw new IllegalArgumentException(
                    ("the path %s has %d bytes, but more than %d leave no room for long keys: use a folder with a"
                                    + " shorter path")
                            .formatted(root, length, MAX_ROOT_BYTES));
        }
    }

    private static void makeFolder(Path root) {
        if (Files.exists(root)) {
            return;
        }
        try {
            Files.createDirectories(root);
        } catch (IOException e) {
            throw uncreatable(root, e);
        }
    }

    private static IllegalArgumentException uncreatable(Path root, IOException e) {
        return new IllegalArgumentException(
                "the folder %s is missing and cannot be created (%s): create it, or give write permission on its parent"
                        .formatted(root, FileFailureText.of(e)),
                e);
    }
}
