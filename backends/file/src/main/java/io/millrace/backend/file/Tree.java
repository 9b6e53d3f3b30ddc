package io.millrace.backend.file;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.Kind;
import io.millrace.backend.spi.BucketName;
import io.millrace.backend.spi.ObjectKey;
import io.millrace.backend.spi.ObjectRef;
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
 * The names below a bucket, one change at a time. A new folder is on the disk before anything is put into it, so that whoever
 * forces a folder has forced the way to it as well.
 */
final class Tree {
    private final WriteLocks locks;
    private final Ways ways;
    /** Odd while a file is turned into a folder: for that moment its key has no name. */
    private final AtomicInteger turns = new AtomicInteger();

    Tree(WriteLocks locks, Ways ways) {
        this.locks = locks;
        this.ways = ways;
    }

    /** The file of a key; empty if there is none. As {@link ObjectFile#find}, and never misled by a change under way. */
    Optional<ObjectFile> find(Path bucket, ObjectKey key) throws IOException {
        int before = turns.get();
        Optional<ObjectFile> found = ObjectFile.find(bucket, key);
        boolean misled = found.isEmpty() && ((before & 1) == 1 || turns.get() != before);
        return misled ? locks.onTree(() -> ObjectFile.find(bucket, key)) : found;
    }

    /** Renames the file into the place of the key; the folder that is to be forced then. */
    Path place(ObjectRef object, Path bucket, Path temporary) throws IOException {
        return locks.onTree(() -> {
            Path target = KeyPath.of(object.key()).in(bucket);
            makeFolders(object.bucket(), bucket, FileNames.folderOf(target));
            if (isFolder(target)) {
                target = target.resolve(Component.SELF);
            }
            Files.move(temporary, target, StandardCopyOption.ATOMIC_MOVE);
            return FileNames.folderOf(target);
        });
    }

    /** Deletes a file and the folders that it leaves empty; the folder that is to be forced then. */
    Path remove(Path bucket, Path file) throws IOException {
        return locks.onTree(() -> {
            Files.deleteIfExists(file);
            Path step = FileNames.folderOf(file);
            try {
                for (; !step.equals(bucket); step = FileNames.folderOf(step)) {
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
                makeWay(name, bucket, step);
            } else {
                Files.createDirectory(step);
                Folders.force(FileNames.folderOf(step));
            }
        }
    }

    /** Turns the file {@code a} into the file {@code a/%%~}. */
    private void makeWay(BucketName name, Path bucket, Path file) throws IOException {
        if (!FileStat.of(file).isFile()) {
            throw new BackendException(
                    Kind.INVALID_REQUEST, "%s is neither a file nor a folder, and in the way".formatted(file));
        }
        Ways.Way way = ways.prepare(name, bucket, file);
        turns.incrementAndGet();
        try {
            Files.delete(file);
            Files.move(way.folder(), file, StandardCopyOption.ATOMIC_MOVE);
        } finally {
            turns.incrementAndGet();
        }
        Folders.force(FileNames.folderOf(file));
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
