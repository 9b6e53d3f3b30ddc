package io.millrace.gateway.read;

import io.millrace.backend.file.FileBackendProvider;
import io.millrace.backend.file.FileBackendSettings;
import io.millrace.backend.spi.Backend;
import io.millrace.backend.spi.object.HeaderList;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.Set;

/**
 * A folder whose files an operator put there by hand. A name that a file cannot have is written as the page on the file
 * backend draws it.
 */
public record FolderOriginFixture(Path folder, Backend backend) implements OriginFixture {
    private static final int LONGEST_NAME = 255;

    /** Folders in folders; hundreds take seconds to delete again, and are the business of the backend's own suite. */
    private static final int DEEPEST = 40;

    /** The folder, which is there. */
    public static FolderOriginFixture at(Path folder) {
        return new FolderOriginFixture(
                folder, new FileBackendProvider().create("test", new FileBackendSettings(folder)));
    }

    @Override
    public Set<Trait> traits() {
        return EnumSet.of(Trait.ANY_NAME, Trait.ANY_DELIMITER, Trait.RFC_CONDITIONS, Trait.NULL_VERSION);
    }

    /** A hand can write every name but those that are cut into pieces or escaped within. */
    @Override
    public boolean canHold(String key) {
        String[] components = key.split("/", -1);
        for (String component : components) {
            boolean escaped = component.startsWith("%%") || component.indexOf('\0') >= 0;
            if (escaped || component.getBytes(StandardCharsets.UTF_8).length > LONGEST_NAME) {
                return false;
            }
        }
        return components.length <= DEEPEST;
    }

    @Override
    public void createBucket(String bucket) throws IOException {
        Files.createDirectory(folder.resolve(bucket));
    }

    @Override
    public void put(String bucket, String key, byte[] bytes, HeaderList headers) throws IOException {
        Path file = folder.resolve(bucket);
        for (String component : key.split("/", -1)) {
            makeFolder(file);
            file = file.resolve(name(component));
        }
        Files.write(Files.isDirectory(file) ? file.resolve("%%~") : file, bytes);
    }

    @Override
    public void close() {
        backend.close().block();
    }

    /** The object {@code a} makes room for the folder of {@code a/b}. */
    private static void makeFolder(Path path) throws IOException {
        if (Files.isRegularFile(path)) {
            Path aside = Files.move(path, path.resolveSibling("moved-aside"));
            Files.createDirectory(path);
            Files.move(aside, path.resolve("%%~"));
        } else {
            Files.createDirectories(path); // another thread may be as far
        }
    }

    private static String name(String component) {
        return component.isEmpty() || component.equals(".") || component.equals("..") ? "%%" + component : component;
    }
}
