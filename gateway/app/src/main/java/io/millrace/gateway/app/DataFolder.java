package io.millrace.gateway.app;

import io.millrace.config.machine.FolderPermissions;
import io.millrace.config.problem.ProblemReporter;
import io.millrace.kit.file.PrivateFile;
import io.millrace.kit.file.PrivateFolder;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The folder for the gateway's own data while it is open: no other process that asks for it gets it. */
public final class DataFolder implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(DataFolder.class);
    private static final String LOCK = "lock";
    private static final String REMEDY =
            "make it writable for this user, or name another folder by data or MILLRACE_DATA";

    /** The time in which a start tries to get the lock, which a check of the settings holds for a moment. */
    private static final Duration LONGEST_WAIT = Duration.ofSeconds(1);

    private static final Duration PAUSE = Duration.ofMillis(20);

    /** The open ones of this process: to close a file that it has locked would release the lock. */
    private static final Set<Path> OPEN = ConcurrentHashMap.newKeySet();

    private final Path path;
    private final FileChannel lockFile;
    private final Runnable report;

    private DataFolder(Path path, FileChannel lockFile, Runnable report) {
        this.path = path;
        this.lockFile = lockFile;
        this.report = report;
    }

    /** Logs that the folder cannot be locked, if so. The log has its form only when the gateway has started. */
    public void report() {
        report.run();
    }

    /**
     * Creates the folder if it is absent, locks it, and requires that it is writable. Nothing in it changes unless the
     * lock is granted.
     *
     * @throws StartException if it is in use, not a folder, or cannot be written
     */
    public static DataFolder open(Path folder) {
        try {
            PrivateFolder.create(folder);
            DataFolder locked = locked(folder, folder.toRealPath());
            try {
                makeWritable(folder);
                return locked;
            } catch (IOException | RuntimeException e) {
                locked.close();
                throw e;
            }
        } catch (IOException e) {
            throw new StartException("data: %s %s. To mend it, %s".formatted(folder, what(e), REMEDY), e);
        }
    }

    private static DataFolder locked(Path named, Path folder) throws IOException {
        if (!OPEN.add(folder)) {
            throw inUse(named);
        }
        try {
            FileChannel file = PrivateFile.open(folder.resolve(LOCK));
            Optional<String> obstacle = lock(file, named);
            return new DataFolder(
                    folder,
                    file,
                    () -> obstacle.ifPresent(reason -> log.warn(
                            "The data folder {} cannot be locked ({}): take care that no other Millrace uses it",
                            named,
                            reason)));
        } catch (IOException | RuntimeException e) {
            OPEN.remove(folder);
            throw e;
        }
    }

    /**
     * Locks the folder, or returns why it cannot be locked: some remote file systems have no locks, and who gives each
     * gateway a folder of its own there needs none.
     *
     * @throws StartException if another process has the lock; closes the file
     */
    private static Optional<String> lock(FileChannel file, Path named) throws IOException {
        boolean isGranted;
        try {
            isGranted = isGranted(file);
        } catch (IOException noLocks) {
            return Optional.of(String.valueOf(noLocks.getMessage()));
        }
        if (!isGranted) {
            file.close();
            throw inUse(named);
        }
        return Optional.empty();
    }

    private static boolean isGranted(FileChannel file) throws IOException {
        long start = System.nanoTime();
        while (!locks(file)) {
            if (System.nanoTime() - start > LONGEST_WAIT.toNanos()) {
                return false;
            }
            LockSupport.parkNanos(PAUSE.toNanos());
        }
        return true;
    }

    private static boolean locks(FileChannel file) throws IOException {
        try {
            @Nullable FileLock lock = file.tryLock();
            return lock != null;
        } catch (OverlappingFileLockException ownProcess) {
            return false;
        }
    }

    private static StartException inUse(Path folder) {
        return new StartException(
                ("data: %s is in use by another Millrace. To mend it, stop that one, or name another folder by data or"
                                + " MILLRACE_DATA")
                        .formatted(folder));
    }

    /**
     * Adds a problem if {@link #open} would refuse the folder; does not create it. Use by a gateway is no objection.
     */
    static void check(Path folder, ProblemReporter problems) {
        try {
            FolderPermissions.requireCreatable(folder);
            if (Files.isDirectory(folder) && !isOpen(folder)) {
                makeWritable(folder);
            }
        } catch (IOException e) {
            problems.add("data", folder, what(e), REMEDY);
        }
    }

    /** Returns whether a gateway uses the folder. */
    private static boolean isOpen(Path folder) throws IOException {
        if (OPEN.contains(folder.toRealPath())) {
            return true;
        }
        Path file = folder.resolve(LOCK);
        if (!Files.isReadable(file)) {
            return false;
        }
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ);
                // Shared: two checks at a time are no use of it.
                FileLock free = channel.tryLock(0, Long.MAX_VALUE, true)) {
            return free == null;
        } catch (IOException noLocks) {
            return false;
        }
    }

    private static void makeWritable(Path folder) throws IOException {
        // Permissions do not show every file system that takes no files; creating one does.
        Files.delete(Files.createTempFile(folder, ".writable", ""));
    }

    static String what(IOException e) {
        return "cannot be written (%s)".formatted(reason(e));
    }

    private static String reason(IOException e) {
        String kind = e.getClass().getSimpleName().replace("Exception", "");
        return kind.equals("IO") ? String.valueOf(e.getMessage()) : kind;
    }

    /** Lets others use the folder. */
    @Override
    public void close() {
        try {
            lockFile.close();
        } catch (IOException e) {
            log.debug("The lock of {} cannot be released", path, e);
        } finally {
            OPEN.remove(path);
        }
    }
}
