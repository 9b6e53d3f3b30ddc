package io.millrace.gateway.objects.testkit;

import io.millrace.cache.BlockCache;
import java.io.IOException;
import java.lang.reflect.Field;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;

/**
 * A cache whose metadata store has failed, and whose disks and data folder take nothing until this is closed: it cannot
 * remember any more that something does not count.
 */
public final class CacheCorruption implements AutoCloseable {
    private final Path parent;
    private final List<String> folders;

    private CacheCorruption(Path parent, List<String> folders) {
        this.parent = parent;
        this.folders = folders;
    }

    /** Breaks a cache of {@link CacheFixture} in this folder. */
    public static CacheCorruption of(BlockCache cache, Path folder) throws Exception {
        return of(cache, folder, "disk", "data");
    }

    /**
     * Breaks a cache.
     *
     * @param folders of its disks and of the data, below {@code parent}
     */
    public static CacheCorruption of(BlockCache cache, Path parent, String... folders) throws Exception {
        ((AutoCloseable) field(field(field(field(cache, "metadata"), "store"), "database"), "engine")).close();
        for (String name : folders) {
            Files.move(parent.resolve(name), parent.resolve(name + ".away"));
            Files.createFile(parent.resolve(name));
        }
        return new CacheCorruption(parent, List.of(folders));
    }

    private static Object field(Object of, String name) throws ReflectiveOperationException {
        Field field = of.getClass().getDeclaredField(name);
        field.setAccessible(true);
        return Objects.requireNonNull(field.get(of));
    }

    /** They take something again. */
    @Override
    public void close() throws IOException {
        for (String name : folders) {
            Files.delete(parent.resolve(name));
            Files.move(parent.resolve(name + ".away"), parent.resolve(name));
        }
    }
}
