package io.millrace.cache.disk;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.millrace.backend.testkit.Polling;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;

/**
 * A file or a disk that stands still until it is closed: whoever opens the one for writing, or writes to the other,
 * waits.
 */
public final class Standstill implements AutoCloseable {
    /** A thread hangs that is in the same call in so many looks in a row. */
    private static final int SAME_IN_A_ROW = 5;

    private final Undo undo;

    private interface Undo {
        void run() throws IOException, InterruptedException;
    }

    private Standstill(Undo undo) {
        this.undo = undo;
    }

    /** A pipe that nobody reads, in the place of a file. */
    public static Standstill of(Path file) throws IOException, InterruptedException {
        require("mkfifo", file.toString());
        return new Standstill(() -> {
            // Both ends, so that this does not wait itself; whoever wrote meets an end that nobody reads any more.
            new RandomAccessFile(file.toFile(), "rw").close();
            Files.deleteIfExists(file);
        });
    }

    /** A file system of its own. */
    public static final class Disk implements AutoCloseable {
        private final Path mounted;

        public Disk(Path image, Path mounted) throws IOException, InterruptedException {
            this.mounted = Files.createDirectories(mounted);
            require("truncate", "-s", "64M", image.toString());
            require("mkfs.ext4", "-q", image.toString());
            assumeTrue(
                    run("mount", "-o", "loop", image.toString(), mounted.toString()),
                    "needs the right to mount, and loops");
        }

        /** Writes to it do not end. */
        public Standstill freeze() throws IOException, InterruptedException {
            require("fsfreeze", "-f", mounted.toString());
            return new Standstill(() -> require("fsfreeze", "-u", mounted.toString()));
        }

        @Override
        public void close() throws IOException, InterruptedException {
            require("umount", "-l", mounted.toString());
        }
    }

    @Override
    public void close() throws IOException, InterruptedException {
        undo.run();
    }

    /** Waits until a thread is in a system call that does not end. */
    public static void awaitHanging(Thread thread) {
        String[] before = {""};
        int[] times = new int[1];
        Polling.within(Duration.ofSeconds(60))
                .pollInterval(Duration.ofMillis(100))
                .until(() -> {
                    StackTraceElement[] now = thread.getStackTrace();
                    boolean same = Arrays.toString(now).equals(before[0]);
                    before[0] = Arrays.toString(now);
                    // A thread that waits for a core may be in one for some time, too.
                    times[0] = same && isSystemCall(now) ? times[0] + 1 : 0;
                    return times[0] == SAME_IN_A_ROW;
                });
    }

    private static boolean isSystemCall(StackTraceElement[] stack) {
        return stack.length > 0
                && stack[0].isNativeMethod()
                && (stack[0].getClassName().startsWith("sun.nio.")
                        || stack[0].getClassName().startsWith("java.io."));
    }

    private static void require(String... command) throws IOException, InterruptedException {
        if (!run(command)) {
            throw new IOException("failed: " + String.join(" ", command));
        }
    }

    private static boolean run(String... command) throws IOException, InterruptedException {
        return new ProcessBuilder(command).inheritIO().start().waitFor() == 0;
    }
}
