package io.millrace.backend.file;

import io.millrace.backend.spi.Backend;
import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendProvider;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

/** Makes backends of type {@code file}: objects as plain files below a folder. */
public final class FileBackendProvider implements BackendProvider<FileBackendSettings> {
    /**
     * Linux takes paths of 4,095 bytes. The longest key is about 3,100 in its encoded form, the longest bucket name 255; this
     * leaves room for both.
     */
    private static final int LONGEST_ROOT = 700;

    @Override
    public String type() {
        return "file";
    }

    @Override
    public Class<FileBackendSettings> settings() {
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
        List<Path> missing = Stream.iterate(root, Objects::nonNull, Path::getParent)
                .takeWhile(Files::notExists)
                .toList();
        try {
            makeFolder(root);
            checkFolder(root);
        } finally {
            missing.stream().map(Path::toFile).forEach(File::delete);
        }
    }

    /**
     * {@inheritDoc}
     *
     * <p>Makes the folder if it is not there. A folder that may only be read is served as it is.
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
                    "in %s a write was cut off that cannot be ended (%s): give the right to write there, and look at the disk"
                            .formatted(root, e),
                    e);
        }
        return backend;
    }

    private static void checkFolder(Path root) {
        if (!Files.isDirectory(root)) {
            throw new IllegalArgumentException(
                    "%s is not a folder: name the folder that holds the buckets".formatted(root));
        }
        if (!Files.isReadable(root) || !Files.isExecutable(root)) {
            throw new IllegalArgumentException(
                    "the folder %s cannot be read: give the user that runs this program the right to, r-x at least"
                            .formatted(root));
        }
    }

    private static void checkLength(Path root) {
        int length = root.toString().getBytes(StandardCharsets.UTF_8).length;
        if (length > LONGEST_ROOT) {
            throw new IllegalArgumentException(
                    "the path %s has %d bytes, and more than %d leave no room for long keys: use a folder with a shorter path"
                            .formatted(root, length, LONGEST_ROOT));
        }
    }

    private static void makeFolder(Path root) {
        if (Files.exists(root)) {
            return;
        }
        try {
            Files.createDirectories(root);
        } catch (IOException e) {
            throw new IllegalArgumentException(
                    "the folder %s is not there and cannot be made (%s): make it, or give the right to"
                            .formatted(root, e),
                    e);
        }
    }
}
