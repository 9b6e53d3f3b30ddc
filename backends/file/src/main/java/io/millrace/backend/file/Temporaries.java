package io.millrace.backend.file;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Pattern;

/**
 * Names for files that are not finished: in the hidden folder, or, for a bucket that a link puts on another disk, in a folder
 * at its top, since only on its own disk can a file be renamed into its place. Touches the disk.
 */
final class Temporaries {
    /** The names given here, and no others: process, time of its start, number. */
    static final Pattern OURS = Pattern.compile("[0-9a-f]+-[0-9a-f]+-[0-9]+(\\.way)?");

    private final Path hidden;
    private final AtomicLong count = new AtomicLong();
    private final AtomicLong lastMicros = new AtomicLong();
    private final String process =
            Long.toHexString(ProcessHandle.current().pid()) + "-" + Long.toHexString(System.nanoTime());

    /**
     * @param hidden the hidden folder, which need not be there
     */
    Temporaries(Path hidden) {
        this.hidden = hidden;
    }

    /** The folder for those of the hidden folder's own disk. */
    Path folder() {
        return hidden.resolve("tmp");
    }

    /** A new name beside the metadata and uploads. */
    Path next() throws IOException {
        Folders.make(folder());
        return name(folder());
    }

    /** A new name on the disk that {@code bucket} lies on. */
    Path nextFor(Path bucket) throws IOException {
        Folders.make(folder());
        if (FileStat.of(folder()).device() == FileStat.of(bucket).device()) {
            return name(folder());
        }
        Path there = bucket.resolve(Component.TEMPORARY);
        Folders.make(there);
        return name(there);
    }

    /** Whether a process before this one left it. */
    boolean isLeftOver(Path file) {
        String name = String.valueOf(file.getFileName());
        return OURS.matcher(name).matches() && !name.startsWith(process + "-");
    }

    /**
     * A time of modification that no other file of ours has: finer than the kernel's own clock for files, and by it a content
     * is known again.
     */
    Instant time() {
        long now = ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now());
        long micros = lastMicros.updateAndGet(last -> Math.max(last + 1, now));
        return Instant.EPOCH.plus(micros, ChronoUnit.MICROS);
    }

    /** Deletes what was moved to a name of ours. What cannot be deleted now is left over, and deleted later. */
    static void discard(Path temporary) {
        try {
            if (Files.isDirectory(temporary)) {
                Folders.deleteTree(temporary);
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
