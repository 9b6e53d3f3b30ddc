package io.millrace.backend.file;

import io.millrace.backend.spi.object.ObjectKey;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Optional;

/** The file that holds an object, with its attributes when it was found. */
record ObjectFile(Path path, FileStat stat) {
    /**
     * Returns the file of a key; empty if there is none. Only a regular file inside the bucket counts, not a link or
     * anything that is reached through a link. Touches the disk.
     *
     * @param bucket the bucket's folder, a path without links
     */
    static Optional<ObjectFile> find(Path bucket, ObjectKey key) throws IOException {
        Path path = ObjectKeyPath.of(key).resolveIn(bucket);
        Optional<ObjectFile> found = inspect(bucket, path);
        if (found.isPresent() && found.get().stat().isFolder()) {
            found = inspect(bucket, path.resolve(KeyComponentCodec.FOLDER_OBJECT));
        }
        return found.filter(file -> file.stat().isFile());
    }

    /** Returns what is at {@code path} in the bucket; empty if nothing is, or if it is reached through a link. */
    static Optional<ObjectFile> inspect(Path bucket, Path path) throws IOException {
        try {
            FileStat stat = FileStat.of(path);
            Path folder = Utf8FileNames.parentOf(path);
            boolean reachedByLink = !folder.toRealPath().equals(folder);
            return reachedByLink ? Optional.empty() : Optional.of(new ObjectFile(path, stat));
        } catch (NoSuchFileException e) {
            return Optional.empty();
        } catch (AccessDeniedException e) {
            throw e;
        } catch (FileSystemException e) {
            if (hasNonFolderAncestor(bucket, path)) {
                return Optional.empty();
            }
            throw e;
        }
    }

    /**
     * Returns whether some name between the bucket and the path is not a folder. The system reports that by an error
     * which only its localized text identifies, and a failing disk must not be taken for a missing key.
     */
    private static boolean hasNonFolderAncestor(Path bucket, Path path) throws IOException {
        try {
            Path step = bucket;
            for (Path name : bucket.relativize(path)) {
                if (!FileStat.of(step).isFolder()) {
                    return true;
                }
                step = step.resolve(name);
            }
            return false;
        } catch (NoSuchFileException e) {
            return true;
        }
    }
}
