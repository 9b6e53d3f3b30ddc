package io.millrace.cache.disk;

import io.millrace.kit.file.DurableFiles;
import io.millrace.kit.file.FileFailureText;
import io.millrace.kit.file.FolderPermissions;
import io.millrace.kit.file.PrivateFile;
import io.millrace.kit.file.PrivateFolder;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The folder of a cache disk, locked against use by other processes while it is open. */
final class LockedDiskFolder implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(LockedDiskFolder.class);
    private static final String LOCK = "lock";

    private static final Set<String> OPENED =
            Set.of(LOCK, "lost+found", "probe", Superblock.NAME, Superblock.NAME + DurableFiles.FRESH);

    private final Path path;
    private final @Nullable FileChannel lockFile;
    private final @Nullable FileLock lock;
    private final String absence;

    /** Folders that {@link #open} has created, the last first. */
    private final List<Path> made;

    private LockedDiskFolder(
            Path path, @Nullable FileChannel lockFile, @Nullable FileLock lock, String absence, List<Path> made) {
        this.path = path;
        this.lockFile = lockFile;
        this.lock = lock;
        this.absence = absence;
        this.made = made;
    }

    /** Returns a folder that cannot be used and is not required. */
    static LockedDiskFolder absent(Path path, String why) {
        return new LockedDiskFolder(path, null, null, why, List.of());
    }

    /** Returns why it cannot be used; empty if it can. */
    String absence() {
        return absence;
    }

    boolean isAbsent() {
        return !absence.isEmpty();
    }

    /**
     * Creates the folder if necessary, and locks it.
     *
     * @throws IOException if it cannot be used; the message says why, and what to do
     */
    static LockedDiskFolder open(Path path) throws IOException {
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
     * Requires that {@link #open} could use the folder, and does not create it. Use by another process is no objection.
     *
     * @throws IOException as {@link #open} does
     */
    static void requireUsable(Path path) throws IOException {
        try {
            FolderPermissions.requireCreatable(path);
        } catch (IOException e) {
            if (Files.isDirectory(path)) {
                throw unwritable(path, FileFailureText.of(e), e);
            }
            throw Files.exists(path) ? notAFolder(path, e) : uncreatable(path, e);
        }
    }

    private static IOException unwritable(Path path, String reason, IOException cause) {
        return new IOException(
                "the cache folder %s cannot be written (%s): make it writable for this user, or give it another path"
                        .formatted(path, reason),
                cause);
    }

    private static LockedDiskFolder locked(Path path, List<Path> made) throws IOException {
        FileChannel file;
        try {
            file = PrivateFile.open(path.resolve(LOCK));
        } catch (IOException e) {
            throw unwritable(path, FileFailureText.of(e), e);
        }
        FileLock lock = lock(file);
        if (lock == null) {
            file.close();
            throw new IOException(
                    "the cache folder %s is in use by another process: stop it, or use another folder".formatted(path));
        }
        return new LockedDiskFolder(path, file, lock, "", made);
    }

    Path path() {
        return path;
    }

    /** Leaves a folder that is this cache's to its owner alone: cached objects are nobody else's to read. */
    void restrict() throws IOException {
        if (!PrivateFolder.restrict(path)) {
            log.warn(
                    "Users other than its owner can list the cache folder {}, {}, or name a folder of this user's. The"
                            + " objects in its files stay unreadable to them",
                    path,
                    PrivateFolder.whyShared(path));
        }
    }

    /** Returns the superblock, if there is one. */
    Optional<Superblock> superblock() throws IOException {
        return isAbsent() ? Optional.empty() : Superblock.read(path);
    }

    /** Returns all segment files, sorted by name, whatever their content. */
    List<Path> segmentFiles() throws IOException {
        if (isAbsent()) {
            return List.of();
        }
        try (Stream<Path> files = Files.list(path)) {
            return files.filter(file -> file.getFileName().toString().endsWith(Segment.SUFFIX))
                    .sorted()
                    .toList();
        }
    }

    /** Returns the bytes that its file system has free for this process. */
    long freeBytes() throws IOException {
        return Files.getFileStore(path).getUsableSpace();
    }

    /** Returns whether a folder holds nothing except what opening it may leave. */
    static boolean isEmpty(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(file -> file.getFileName().toString()).allMatch(OPENED::contains);
        }
    }

    /**
     * Closes the folder after a refused start, and removes what {@link #open} has created, because another disk may
     * belong in its place. The lock file of a folder that existed stays, because another process may have opened it by
     * now.
     *
     * @param refusal gets failures of this method as suppressed ones
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
            // Another process has added files meanwhile.
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
     * Creates the folder for this user alone: cached objects are nobody else's to read.
     *
     * @param made gets each created folder, the last first
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
                throw notAFolder(path, e);
            }
        } catch (IOException e) {
            throw uncreatable(path, e);
        }
    }

    private static IOException notAFolder(Path path, IOException cause) {
        return new IOException("the cache folder %s is a file: give it another path".formatted(path), cause);
    }

    private static IOException uncreatable(Path path, IOException cause) {
        return new IOException(
                ("the cache folder %s cannot be created (%s): make the folder above it writable for this user, or"
                                + " give it another path")
                        .formatted(path, FileFailureText.of(cause)),
                cause);
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
}
