package io.millrace.gateway.app;

import io.millrace.config.problem.ProblemReporter;
import io.millrace.kit.file.FileFailureText;
import io.millrace.kit.file.FolderPermissions;
import io.millrace.kit.file.PrivateFile;
import io.millrace.kit.file.PrivateFolder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The folder for the gateway's own data while it is open: no other process that asks for it gets it. */
public final class DataFolder implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(DataFolder.class);
    private static final String LOCK = "lock";

    /** The file with the ports of the gateway that uses the folder, or used it last, one a line. */
    private static final String PORTS = "ports";

    private static final String REMEDY =
            "make it writable for this user, or name another folder by data or MILLRACE_DATA";

    /** The time in which a start tries to get the lock, which a check of the settings holds for a moment. */
    private static final Duration LONGEST_WAIT = Duration.ofSeconds(1);

    private static final Duration PAUSE = Duration.ofMillis(20);

    /** More than a gateway has. */
    private static final int MOST_PORTS = 16;

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

    /** Records the ports of the gateway that uses the folder, for {@link #portsOfUser}. */
    void recordPorts(List<Integer> ports) {
        try {
            PrivateFile.write(
                    path.resolve(PORTS), ports.stream().map(String::valueOf).toList());
        } catch (IOException e) {
            log.warn(
                    "The ports cannot be recorded in the data folder {}, so millrace doctor may take them for those of"
                            + " another program: {}",
                    path,
                    FileFailureText.of(e));
        }
    }

    /**
     * Returns the ports of the gateway that uses the folder; none if nobody does. Empty if this user, or the file
     * system, does not let it be known.
     */
    public static Optional<Set<Integer>> portsOfUser(Path folder) {
        try {
            if (Files.notExists(folder.resolve(LOCK))) {
                return Optional.of(Set.of());
            }
            Optional<Boolean> isUsed = isUsed(folder);
            if (isUsed.isEmpty()) {
                return Optional.empty();
            }
            return Optional.of(isUsed.get() ? recordedPorts(folder) : Set.of());
        } catch (IOException | UncheckedIOException | NumberFormatException e) {
            // An older release, which records none, may use it.
            return Optional.empty();
        }
    }

    private static Set<Integer> recordedPorts(Path folder) throws IOException {
        try (Stream<String> lines = Files.lines(folder.resolve(PORTS))) {
            return lines.limit(MOST_PORTS).map(Integer::valueOf).collect(Collectors.toSet());
        }
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
                // Until this gateway has recorded its own, those of the last would be taken for them.
                Files.deleteIfExists(folder.resolve(PORTS));
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
            if (Files.isDirectory(folder) && !isUsed(folder).orElse(false)) {
                makeWritable(folder);
            }
        } catch (IOException e) {
            problems.add("data", folder, what(e), REMEDY);
        }
    }

    /** Returns whether a gateway uses the folder; empty if that cannot be known. */
    private static Optional<Boolean> isUsed(Path folder) throws IOException {
        if (OPEN.contains(folder.toRealPath())) {
            return Optional.of(true);
        }
        Path file = folder.resolve(LOCK);
        if (!Files.isReadable(file)) {
            return Optional.empty();
        }
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ);
                // Shared: two checks at a time are no use of it.
                FileLock free = channel.tryLock(0, Long.MAX_VALUE, true)) {
            return Optional.of(free == null);
        } catch (IOException noLocks) {
            return Optional.empty();
        }
    }

    private static void makeWritable(Path folder) throws IOException {
        // Permissions do not show every file system that takes no files; creating one does.
        Files.delete(Files.createTempFile(folder, ".writable", ""));
    }

    static String what(IOException e) {
        return "cannot be written (%s)".formatted(FileFailureText.of(e));
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
