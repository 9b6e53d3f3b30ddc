package io.millrace.cache.disk;

import io.millrace.cache.BlockCache;
import java.io.IOException;
import java.lang.reflect.Field;
import java.util.List;

/** A disk whose files cannot be read any more. */
public final class BrokenFiles {
    private BrokenFiles() {}

    /** Lets all reads of the segments that a cache has now fail. */
    public static void of(BlockCache cache) {
        try {
            SharedDiskComponents parts = parts(cache);
            for (Segment segment : parts.segments().all()) {
                segment.file().close();
            }
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    /** The same for one of its disks. */
    public static void of(BlockCache cache, int disk) {
        CacheDisk broken = disk(cache, disk);
        try {
            SharedDiskComponents parts = parts(cache);
            for (Segment segment : parts.segments().all()) {
                if (segment.path().startsWith(broken.path())) {
                    segment.file().close();
                }
            }
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    static SharedDiskComponents parts(BlockCache cache) {
        try {
            return ((BlockStore) field(cache, "store")).disks().parts();
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    /** One of a cache's disks. */
    static CacheDisk disk(BlockCache cache, int number) {
        try {
            return (CacheDisk) ((List<?>) field(field(field(cache, "store"), "disks"), "disks")).get(number);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Object field(Object of, String name) throws ReflectiveOperationException {
        Field field = of.getClass().getDeclaredField(name);
        field.setAccessible(true);
        return field.get(of);
    }
}
