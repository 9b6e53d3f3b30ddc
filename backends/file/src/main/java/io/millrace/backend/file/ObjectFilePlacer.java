package io.millrace.backend.file;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.kit.file.DurableFiles;
import java.io.IOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Finds, places and removes object files in the directory tree of the buckets, which one thread at a time may change. A
 * new folder is synced before anything is put into it, so that syncing a folder is enough to make the whole path to it
 * durable.
 */
final class ObjectFilePlacer {
    private final WriteLocks locks;
    private final FileToFolderConversion conversion;
    /** Odd while a file is converted into a folder: in that moment its key has no name. */
    private final AtomicInteger conversionSequence = new AtomicInteger();

    ObjectFilePlacer(WriteLocks locks, FileToFolderConversion ways) {
        this.locks = locks;
        this.conversion = ways;
    }

    /**
     * Returns the file of a key; empty if there is none. Like {@link ObjectFile#find}, but never misses a file that is
     * being converted.
     */
    Optional<ObjectFile> find(Path bucket, ObjectKey key) throws IOException {
        int before = conversionSequence.get();
        Optional<ObjectFile> found = ObjectFile.find(bucket, key);
        boolean misled = found.isEmpty() && ((before & 1) == 1 || conversionSequence.get() != before);
        return misled ? locks.withTreeLock(() -> ObjectFile.find(bucket, key)) : found;
    }

    /** Renames a temporary file to the path of the key and returns the folder that the caller must sync. */
    Path place(ObjectRef object, Path bucket, Path temporary) throws IOException {
        return locks.withTreeLock(() -> {
            Path target = ObjectKeyPath.of(object.key()).resolveIn(bucket);
            makeFolders(object.bucket(), bucket, Utf8FileNames.parentOf(target));
            if (isFolder(target)) {
                target = target.resolve(KeyComponentCodec.FOLDER_OBJECT);
            }
            Files.move(temporary, target, StandardCopyOption.ATOMIC_MOVE);
            return Utf8FileNames.parentOf(target);
        });
    }

    /** Deletes a file and the folders that it leaves empty, and returns the folder that the caller must sync. */
    Path remove(Path bucket, Path file) throws IOException {
        return locks.withTreeLock(() -> {
            Files.deleteIfExists(file);
            Path step = Utf8FileNames.parentOf(file);
            try {
                for (; !step.equals(bucket); step = Utf8FileNames.parentOf(step)) {
                    Files.delete(step);
                }
            } catch (DirectoryNotEmptyException | NoSuchFileException e) {
                return step;
            }
            return step;
        });
    }

    private void makeFolders(BucketName name, Path bucket, Path folder) throws IOException {
        Path step = bucket;
        for (Path next : bucket.relativize(folder)) {
            step = next.toString().isEmpty() ? step : step.resolve(next);
            if (isFolder(step)) {
                continue;
            }
            if (Files.exists(step, LinkOption.NOFOLLOW_LINKS)) {
                convertToFolder(name, bucket, step);
            } else {
                Files.createDirectory(step);
                DurableFiles.syncFolder(Utf8FileNames.parentOf(step));
            }
        }
    }

    /** Converts the file {@code a} into the file {@code a/%%~}. */
    private void convertToFolder(BucketName name, Path bucket, Path file) throws IOException {
        if (!FileStat.of(file).isFile()) {
            throw new BackendException(
                    FailureKind.INVALID_REQUEST,
                    "%s is neither a file nor a folder, so nothing can be written below it".formatted(file));
        }
        FileToFolderConversion.PreparedFolder way = conversion.prepare(name, bucket, file);
        conversionSequence.incrementAndGet();
        try {
            Files.delete(file);
            Files.move(way.folder(), file, StandardCopyOption.ATOMIC_MOVE);
        } finally {
            conversionSequence.incrementAndGet();
        }
        DurableFiles.syncFolder(Utf8FileNames.parentOf(file));
        Files.deleteIfExists(way.note());
    }

    private static boolean isFolder(Path path) throws IOException {
        try {
            return FileStat.of(path).isFolder();
        } catch (NoSuchFileException e) {
            return false;
        }
    }
}
