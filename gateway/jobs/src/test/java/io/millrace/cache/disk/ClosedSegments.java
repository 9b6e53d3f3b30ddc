package io.millrace.cache.disk;

import io.millrace.cache.BlockCache;
import java.lang.reflect.Field;

/** A cache whose disks cannot read their files any more. */
public final class ClosedSegments {
    private ClosedSegments() {}

    /** Lets all reads of the segments that a cache has now fail. */
    public static void of(BlockCache cache) throws Exception {
        SharedDiskComponents parts =
                ((BlockStore) field(cache, "store")).disks().parts();
        for (Segment segment : parts.segments().all()) {
            segment.file().close();
        }
    }

    private static Object field(Object of, String name) throws ReflectiveOperationException {
        Field field = of.getClass().getDeclaredField(name);
        field.setAccessible(true);
        return field.get(of);
    }
}
