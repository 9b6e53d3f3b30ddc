package io.millrace.cache.disk;

import io.millrace.kit.file.DurableFiles;
import io.millrace.kit.file.PrivateFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Supplier;

/**
 * Tests whether a disk works by reading some of it past the page cache and writing a little. Blocks as long as the disk
 * does.
 */
final class DiskProbe {
    private static final String NAME = "probe";
    private static final int SEGMENTS = 4;

    private final LockedDiskFolder folder;
    private final UUID disk;
    private final Supplier<List<Path>> segments;
    private final ByteBuffer buffer = DirectReadFile.buffer(DirectReadFile.UNIT);

    /** @param segments sealed files of the disk */
    DiskProbe(LockedDiskFolder folder, UUID disk, Supplier<List<Path>> segments) {
        this.folder = folder;
        this.disk = disk;
        this.segments = segments;
    }

    /**
     * Checks that the folder is still this disk's.
     *
     * @return what is wrong with it; empty if it is this disk's
     */
    Optional<String> gone() throws IOException {
        Optional<UUID> found = Superblock.diskAt(folder.path());
        if (found.isEmpty()) {
            return Optional.of("its superblock " + Superblock.NAME + " is gone");
        }
        return found.filter(id -> !id.equals(disk)).map(id -> "another disk lies there");
    }

    /**
     * Reads some segments and writes a little.
     *
     * @throws IOException if it does not work
     */
    void run() throws IOException {
        List<Path> files = segments.get();
        for (int i = 0; i < Math.min(SEGMENTS, files.size()); i++) {
            read(files.get(ThreadLocalRandom.current().nextInt(files.size())));
        }
        write();
    }

    private void read(Path segment) throws IOException {
        try (DirectReadFile file = DirectReadFile.open(segment)) {
            long units = Math.max(1, file.size() / DirectReadFile.UNIT);
            file.read(buffer, ThreadLocalRandom.current().nextLong(units) * DirectReadFile.UNIT);
        } catch (NoSuchFileException removedMeanwhile) {
            // Its content does not matter.
        }
    }

    /** Writes a small file, unless the disk is full, which is no fault. */
    private void write() throws IOException {
        if (folder.freeBytes() < DirectReadFile.UNIT) {
            return;
        }
        Path probe = folder.path().resolve(NAME);
        try (FileChannel file = PrivateFile.open(probe)) {
            DurableFiles.writeFully(file, ByteBuffer.wrap(new byte[64]));
            file.force(false);
        }
        Files.deleteIfExists(probe);
    }
}
