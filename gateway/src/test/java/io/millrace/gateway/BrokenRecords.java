package io.millrace.gateway;

import io.millrace.cache.BlockCache;
import java.io.IOException;
import java.lang.reflect.Field;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;

/**
 * A cache of {@link TestCache} whose metadata store has failed, and whose disk and data folder take nothing until this is closed: it cannot
 * remember any more that something does not count.
 */
public final class BrokenRecords implements AutoCloseable {
    private static final List<String> FOLDERS = List.of("disk", "data");

    private final Path folder;

    private BrokenRecords(Path folder) {
        this.folder = folder;
    }

    /** Breaks the cache in this folder. */
    public static BrokenRecords of(BlockCache cache, Path folder) throws Exception {
        ((AutoCloseable) field(field(field(cache, "metadata"), "store"), "engine")).close();
        for (String name : FOLDERS) {
            Files.move(folder.resolve(name), folder.resolve(name + ".away"));
            Files.createFile(folder.resolve(name));
        }
        return new BrokenRecords(folder);
    }

    private static Object field(Object of, String name) throws ReflectiveOperationException {
        Field field = of.getClass().getDeclaredField(name);
        field.setAccessible(true);
        return Objects.requireNonNull(field.get(of));
    }

    /** They take something again. */
    @Override
    public void close() throws IOException {
        for (String name : FOLDERS) {
            Files.delete(folder.resolve(name));
            Files.move(folder.resolve(name + ".away"), folder.resolve(name));
        }
    }
}
