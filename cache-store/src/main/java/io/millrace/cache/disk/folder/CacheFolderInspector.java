package io.millrace.cache.disk.folder;

import io.millrace.cache.disk.segment.Segment;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/** Looks at folders of cache disks before a store opens them; changes nothing there. */
public final class CacheFolderInspector {
    private CacheFolderInspector() {}

    /**
     * Requires that a store could use the folder. One that another process uses now is no reason against it.
     *
     * @param remembered the folder that remembers which disks there were
     * @throws IOException if it could not; the message says why, and what to do
     */
    public static void requireUsable(Path folder, Path remembered) throws IOException {
        OpenDiskFolders.requireUsable(folder, remembered);
    }

    /** Bytes that a cache in this folder could take: what its file system has left, and what a cache has there already. */
    public static long room(Path folder) throws IOException {
        Path there = folder.toAbsolutePath();
        while (Files.notExists(there) && there.getParent() != null) {
            there = there.getParent();
        }
        return Files.getFileStore(there).getUsableSpace() + (Files.isDirectory(folder) ? segmentBytes(folder) : 0);
    }

    private static long segmentBytes(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.filter(file -> file.getFileName().toString().endsWith(Segment.SUFFIX))
                    .mapToLong(file -> file.toFile().length())
                    .sum();
        }
    }
}
