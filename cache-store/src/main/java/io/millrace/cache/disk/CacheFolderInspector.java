package io.millrace.cache.disk;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/** Checks folders of cache disks before the cache opens them; changes nothing in them. */
public final class CacheFolderInspector {
    private CacheFolderInspector() {}

    /**
     * Requires that a store could use the folder. Use by another process is no objection.
     *
     * @param remembered folder of the cache state file
     * @throws IOException if a store could not use it; the message says why, and what to do
     */
    public static void requireUsable(Path folder, Path remembered) throws IOException {
        OpenDiskFolders.requireUsable(folder, remembered);
    }

    /**
     * Forgets that a folder held a disk of the cache, so that the next start begins an empty one there, or goes without
     * it. Nothing in the folder changes. No store may be open.
     *
     * @param remembered folder of the cache state file
     * @return false if the file knows of no disk there
     * @throws IOException if the file cannot be read or written
     */
    public static boolean forget(Path folder, Path remembered) throws IOException {
        return CacheStateFile.read(remembered).forget(folder);
    }

    /**
     * Returns the bytes that a cache in this folder could take: free bytes of the file system and those of a cache that
     * is there.
     */
    public static long freeBytes(Path folder) throws IOException {
        Path existing = folder.toAbsolutePath();
        while (Files.notExists(existing) && existing.getParent() != null) {
            existing = existing.getParent();
        }
        return Files.getFileStore(existing).getUsableSpace() + (Files.isDirectory(folder) ? segmentBytes(folder) : 0);
    }

    private static long segmentBytes(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.filter(file -> file.getFileName().toString().endsWith(Segment.SUFFIX))
                    .mapToLong(file -> file.toFile().length())
                    .sum();
        }
    }
}
