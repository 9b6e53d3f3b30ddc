package io.millrace.cache.disk;

import java.io.IOException;
import java.nio.file.Path;

/**
 * Records the stale epoch in the superblock, the file that identifies a cache disk, while the disk is in use. Blocks as
 * long as the disk does; safe for use by any number of threads.
 */
final class SuperblockUpdater {
    private final Path folder;
    private Superblock superblock;
    private boolean closed;

    /** @param superblock the current content of the file */
    SuperblockUpdater(Path folder, Superblock superblock) {
        this.folder = folder;
        this.superblock = superblock;
    }

    /** Makes the stale epoch durable on the disk. */
    synchronized void stale(long epoch) throws IOException {
        if (closed) {
            throw new IOException("the cache folder %s is not in use".formatted(folder));
        }
        Superblock later = superblock.at(superblock.run(), epoch);
        later.write(folder);
        superblock = later;
    }

    /** Ends writing, because another disk may soon be in this folder. */
    synchronized void close() {
        closed = true;
    }
}
