package io.millrace.backend.file;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Pattern;

/**
 * Chooses paths for the temporary files of unfinished writes, on the same disk as their bucket. That is the hidden
 * folder or, for a bucket that a link puts on another disk, a folder at its top, because a file can only be renamed
 * within its disk. Touches the disk.
 */
final class TemporaryPaths {
    /** The file names given here: process, its start time, number. */
    static final Pattern NAME_PATTERN = Pattern.compile("[0-9a-f]+-[0-9a-f]+-[0-9]+(\\.way)?");

    private final Path hidden;
    private final AtomicLong count = new AtomicLong();
    private final AtomicLong lastMicros = new AtomicLong();
    private final String process =
            Long.toHexString(ProcessHandle.current().pid()) + "-" + Long.toHexString(System.nanoTime());

    /**
     * @param hidden the hidden folder, which may not exist yet
     */
    TemporaryPaths(Path hidden) {
        this.hidden = hidden;
    }

    /** Returns the folder for unfinished files on the disk of the hidden folder. */
    Path folder() {
        return hidden.resolve("tmp");
    }

    /** Returns a new path on the disk of the metadata and uploads. */
    Path newPath() throws IOException {
        DurableFolders.create(folder());
        return name(folder());
    }

    /** Returns a new path on the disk of {@code bucket}. */
    Path newPathFor(Path bucket) throws IOException {
        DurableFolders.create(folder());
        if (FileStat.of(folder()).device() == FileStat.of(bucket).device()) {
            return name(folder());
        }
        Path existing = bucket.resolve(KeyComponentCodec.TEMPORARY_FOLDER);
        DurableFolders.create(existing);
        return name(existing);
    }

    /** Returns whether an earlier process left the file. */
    boolean isFromEarlierProcess(Path file) {
        String name = String.valueOf(file.getFileName());
        return NAME_PATTERN.matcher(name).matches() && !name.startsWith(process + "-");
    }

    /**
     * Returns a modification time that no other file written here has; it is finer than the kernel's file clock, and
     * identifies a content.
     */
    Instant uniqueTime() {
        long now = ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now());
        long micros = lastMicros.updateAndGet(last -> Math.max(last + 1, now));
        return Instant.EPOCH.plus(micros, ChronoUnit.MICROS);
    }

    /** Deletes an unfinished file or folder. If that fails, the next start deletes it. */
    static void discard(Path temporary) {
        try {
            if (Files.isDirectory(temporary)) {
                DurableFolders.deleteTree(temporary);
            } else {
                Files.deleteIfExists(temporary);
            }
        } catch (IOException ignored) {
            return;
        }
    }

    private Path name(Path folder) {
        return folder.resolve(process + "-" + count.incrementAndGet());
    }
}
