package io.millrace.cache.disk.folder;

import io.millrace.cache.disk.segment.Segment;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A folder that this process alone uses, as long as it is open. */
public final class LockedDiskFolder implements AutoCloseable {
    private static final String LOCK = "lock";

    private static final Set<String> OPENED =
            Set.of(LOCK, "lost+found", "probe", Superblock.NAME, Superblock.NAME + DurableFiles.FRESH);

    private final Path path;
    private final @Nullable FileChannel lockFile;
    private final @Nullable FileLock lock;
    private final String absence;

    /** The folders that {@link #open} has made, the last first. */
    private final List<Path> made;

    private LockedDiskFolder(
            Path path, @Nullable FileChannel lockFile, @Nullable FileLock lock, String absence, List<Path> made) {
        this.path = path;
        this.lockFile = lockFile;
        this.lock = lock;
        this.absence = absence;
        this.made = made;
    }

    /** One that cannot be used, which is to be done without. */
    static LockedDiskFolder absent(Path path, String why) {
        return new LockedDiskFolder(path, null, null, why, List.of());
    }

    /** Why it cannot be used; empty if it can. */
    public String absence() {
        return absence;
    }

    public boolean isAbsent() {
        return !absence.isEmpty();
    }

    /**
     * Makes the folder if need be, and locks it.
     *
     * @throws IOException if it cannot be used; the message says why, and what to do
     */
    public static LockedDiskFolder open(Path path) throws IOException {
        List<Path> made = new ArrayList<>();
        try {
            createFolder(path, made);
            return locked(path, made);
        } catch (IOException e) {
            takeAway(made, e);
            throw e;
        }
    }

    /**
     * Requires that {@link #open} could use the folder, and leaves everything as it was. A folder that another process has open is
     * no reason against it.
     *
     * @throws IOException as {@link #open} does
     */
    static void requireUsable(Path path) throws IOException {
        List<Path> made = new ArrayList<>();
        try {
            createFolder(path, made);
            if (!Files.isWritable(path)) {
                throw unwritable(path, "AccessDenied", null);
            }
        } finally {
            for (Path each : made) {
                Files.deleteIfExists(each);
            }
        }
    }

    private static IOException unwritable(Path path, String reason, @Nullable IOException cause) {
        return new IOException(
                "the cache folder %s cannot be written (%s): make it writable for this user, or give it another path"
                        .formatted(path, reason),
                cause);
    }

    private static LockedDiskFolder locked(Path path, List<Path> made) throws IOException {
        FileChannel file;
        try {
            file = FileChannel.open(path.resolve(LOCK), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        } catch (IOException e) {
            throw unwritable(path, reason(e), e);
        }
        FileLock lock = lock(file);
        if (lock == null) {
            file.close();
            throw new IOException(
                    "the cache folder %s is in use by another process: stop it, or use another folder".formatted(path));
        }
        return new LockedDiskFolder(path, file, lock, "", made);
    }

    public Path path() {
        return path;
    }

    /** The superblock, if there is one. */
    Optional<Superblock> superblock() throws IOException {
        return isAbsent() ? Optional.empty() : Superblock.read(path);
    }

    /** The files of segments, whatever is in them. */
    public List<Path> segmentFiles() throws IOException {
        if (isAbsent()) {
            return List.of();
        }
        try (Stream<Path> files = Files.list(path)) {
            return files.filter(file -> file.getFileName().toString().endsWith(Segment.SUFFIX))
                    .sorted()
                    .toList();
        }
    }

    /** Bytes that its file system has left for this process. */
    public long freeBytes() throws IOException {
        return Files.getFileStore(path).getUsableSpace();
    }

    /** Whether nothing is in a folder but what opening one may leave. */
    static boolean isEmpty(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(file -> file.getFileName().toString()).allMatch(OPENED::contains);
        }
    }

    /**
     * Closes it after a start that is refused, and takes away what that has made: another disk may belong in its place. The lock of a
     * folder that was there stays, since another process may have opened it by now.
     *
     * @param refusal told of what fails here
     */
    void leaveAsItWas(Throwable refusal) {
        List<Path> mine = new ArrayList<>();
        if (made.contains(path)) {
            Stream.of(Superblock.NAME + DurableFiles.FRESH, Superblock.NAME, LOCK)
                    .map(path::resolve)
                    .forEach(mine::add);
        }
        mine.addAll(made);
        takeAway(mine, refusal);
        try {
            close();
        } catch (IOException e) {
            refusal.addSuppressed(e);
        }
    }

    private static void takeAway(List<Path> made, Throwable refusal) {
        try {
            for (Path each : made) {
                Files.deleteIfExists(each);
            }
        } catch (DirectoryNotEmptyException e) {
            // Somebody has come with more meanwhile.
        } catch (IOException e) {
            refusal.addSuppressed(e);
        }
    }

    @Override
    public void close() throws IOException {
        if (lock != null && lock.isValid()) {
            lock.release();
        }
        if (lockFile != null) {
            lockFile.close();
        }
    }

    private static @Nullable FileLock lock(FileChannel file) throws IOException {
        try {
            return file.tryLock();
        } catch (OverlappingFileLockException ownProcess) {
            return null;
        }
    }

    /**
     * What is cached is nobody else's to read.
     *
     * @param made told of each folder that is made, the last first
     */
    private static void createFolder(Path path, List<Path> made) throws IOException {
        try {
            if (!Files.isDirectory(path)) {
                createParents(path, made);
                Files.createDirectory(
                        path, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
                made.add(0, path);
            }
        } catch (FileAlreadyExistsException e) {
            if (!Files.isDirectory(path)) {
                throw new IOException("the cache folder %s is a file: give it another path".formatted(path), e);
            }
        } catch (IOException e) {
            throw new IOException(
                    "the cache folder %s cannot be made (%s): make the folder above it writable for this user, or give it another path"
                            .formatted(path, reason(e)),
                    e);
        }
    }

    private static void createParents(Path path, List<Path> made) throws IOException {
        Path parent = path.toAbsolutePath().getParent();
        for (Path each = parent; each != null && Files.notExists(each); each = each.getParent()) {
            made.add(each);
        }
        if (parent != null) {
            Files.createDirectories(parent);
        }
    }

    /** Why: the exception's kind, where its message is but the path. */
    private static String reason(IOException failure) {
        String kind = failure.getClass().getSimpleName().replace("Exception", "");
        return failure instanceof FileSystemException told && told.getReason() != null ? told.getReason() : kind;
    }
}
