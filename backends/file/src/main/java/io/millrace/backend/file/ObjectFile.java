package io.millrace.backend.file;

import io.millrace.backend.spi.ObjectKey;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Optional;

/** The file that holds an object, as it was looked at. */
record ObjectFile(Path path, FileStat stat) {
    /**
     * The file of a key; empty if there is none. Only a regular file inside the bucket is one: a link, or anything that lies
     * behind a link, is not. Touches the disk.
     *
     * @param bucket the bucket's folder, a path without links
     */
    static Optional<ObjectFile> find(Path bucket, ObjectKey key) throws IOException {
        Path path = KeyPath.of(key).in(bucket);
        Optional<ObjectFile> found = look(bucket, path);
        if (found.isPresent() && found.get().stat().isFolder()) {
            found = look(bucket, path.resolve(Component.SELF));
        }
        return found.filter(file -> file.stat().isFile());
    }

    /** What lies at {@code path} in the bucket; empty if nothing does, or only behind a link. */
    static Optional<ObjectFile> look(Path bucket, Path path) throws IOException {
        try {
            FileStat stat = FileStat.of(path);
            Path folder = FileNames.folderOf(path);
            boolean reachedByLink = !folder.toRealPath().equals(folder);
            return reachedByLink ? Optional.empty() : Optional.of(new ObjectFile(path, stat));
        } catch (NoSuchFileException e) {
            return Optional.empty();
        } catch (AccessDeniedException e) {
            throw e;
        } catch (FileSystemException e) {
            if (leadsNowhere(bucket, path)) {
                return Optional.empty();
            }
            throw e;
        }
    }

    /**
     * Whether some name on the way from the bucket is no folder. The system says so by an error whose only mark is a text in
     * the operator's language, and a broken disk must not pass for a missing key.
     */
    private static boolean leadsNowhere(Path bucket, Path path) throws IOException {
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
