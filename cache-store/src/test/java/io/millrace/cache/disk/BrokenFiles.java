package io.millrace.cache.disk;

import io.millrace.cache.BlockCache;
import java.io.IOException;
import java.lang.reflect.Field;

/** A disk whose files cannot be read any more. */
public final class BrokenFiles {
    private BrokenFiles() {}

    /** Lets all reads of the segments that a cache has now fail. */
    public static void of(BlockCache cache) {
        try {
            StoreParts parts = (StoreParts) field(field(cache, "store"), "parts");
            for (Segment segment : parts.segments().all()) {
                segment.file().close();
            }
        } catch (IOException | ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Object field(Object of, String name) throws ReflectiveOperationException {
        Field field = of.getClass().getDeclaredField(name);
        field.setAccessible(true);
        return field.get(of);
    }
}
