package io.millrace.backend.file;

import io.millrace.backend.spi.BucketInfo;
import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** What a process that was killed left unfinished. Touches the disk. */
final class Leftovers {
    /** So that nothing is deleted that somebody is still writing, should another process have the folder after all. */
    private static final Duration OLD = Duration.ofMinutes(10);

    private final BucketFolders buckets;
    private final Temporaries temporaries;
    private final Ways ways;

    Leftovers(BucketFolders buckets, Temporaries temporaries, Ways ways) {
        this.buckets = buckets;
        this.temporaries = temporaries;
        this.ways = ways;
    }

    /** Ends renames that were cut off half-way. Must be done before anything is read, and is nothing as a rule. */
    void finishRenames() throws IOException {
        for (Path folder : folders()) {
            ways.finish(folder);
        }
    }

    /** Deletes unfinished files of processes before this one. */
    void sweep(Instant now) throws IOException {
        for (Path folder : folders()) {
            try (DirectoryStream<Path> files = Files.newDirectoryStream(folder)) {
                for (Path file : files) {
                    if (temporaries.isLeftOver(file) && isOld(file, now)) {
                        Temporaries.discard(file);
                    }
                }
            } catch (DirectoryIteratorException e) {
                throw e.getCause();
            } catch (NoSuchFileException | NotDirectoryException ignored) {
                // Nothing was ever written there.
            }
        }
    }

    private List<Path> folders() throws IOException {
        List<Path> folders = new ArrayList<>(List.of(temporaries.folder()));
        for (BucketInfo bucket : buckets.all()) {
            Path folder = buckets.folder(bucket.name()).resolve(Component.TEMPORARY);
            if (Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS)) {
                folders.add(folder);
            }
        }
        return folders;
    }

    private static boolean isOld(Path file, Instant now) {
        try {
            return Files.getLastModifiedTime(file, LinkOption.NOFOLLOW_LINKS)
                    .toInstant()
                    .isBefore(now.minus(OLD));
        } catch (IOException e) {
            // Gone already.
            return false;
        }
    }
}
