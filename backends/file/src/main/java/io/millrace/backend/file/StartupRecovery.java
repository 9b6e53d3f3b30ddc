package io.millrace.backend.file;

import io.millrace.backend.spi.object.BucketInfo;
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

/**
 * Cleans up at startup after a killed process: completes interrupted moves of object files and deletes temporary files.
 * Touches the disk.
 */
record StartupRecovery(BucketFolders buckets, TemporaryPaths temporaries, FileToFolderConversion conversion) {
    /** Minimum age of a file to delete, in case another process uses the folder after all. */
    private static final Duration STALE_AGE = Duration.ofMinutes(10);

    /**
     * Finishes interrupted conversions of files into folders. Must run before anything is read; usually finds nothing.
     */
    void finishConversions() throws IOException {
        for (Path folder : folders()) {
            conversion.finishInterrupted(folder);
        }
    }

    /** Deletes old unfinished files of earlier processes. */
    void deleteStaleFiles(Instant now) throws IOException {
        for (Path folder : folders()) {
            try (DirectoryStream<Path> files = Files.newDirectoryStream(folder)) {
                for (Path file : files) {
                    if (temporaries.isFromEarlierProcess(file) && isOld(file, now)) {
                        TemporaryPaths.discard(file);
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
        for (BucketInfo bucket : buckets.list()) {
            buckets.find(bucket.name())
                    .map(folder -> folder.resolve(KeyComponentCodec.TEMPORARY_FOLDER))
                    .filter(folder -> Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS))
                    .ifPresent(folders::add);
        }
        return folders;
    }

    private static boolean isOld(Path file, Instant now) {
        try {
            return Files.getLastModifiedTime(file, LinkOption.NOFOLLOW_LINKS)
                    .toInstant()
                    .isBefore(now.minus(STALE_AGE));
        } catch (IOException e) {
            // Gone already.
            return false;
        }
    }
}
