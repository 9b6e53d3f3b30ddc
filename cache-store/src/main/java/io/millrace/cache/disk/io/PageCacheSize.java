package io.millrace.cache.disk.io;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * Determines how much memory is left for the page cache: what the system has available, within a memory limit of this
 * process.
 */
public final class PageCacheSize {
    private static final Path MEMINFO = Path.of("/proc/meminfo");
    private static final List<Path> LIMITS =
            List.of(Path.of("/sys/fs/cgroup/memory.max"), Path.of("/sys/fs/cgroup/memory/memory.limit_in_bytes"));

    /** The default if the system does not report it. */
    private static final long UNKNOWN = 1L << 30;

    private PageCacheSize() {}

    public static long bytes() {
        long available = available();
        for (Path limit : LIMITS) {
            available = Math.min(available, limit(limit) - Runtime.getRuntime().maxMemory());
        }
        return Math.max(0, available);
    }

    private static long available() {
        try {
            return Files.readAllLines(MEMINFO).stream()
                    .filter(line -> line.startsWith("MemAvailable:"))
                    .map(line -> line.replaceAll("[^0-9]", ""))
                    .mapToLong(kibibytes -> Long.parseLong(kibibytes) << 10)
                    .findFirst()
                    .orElse(UNKNOWN);
        } catch (IOException | NumberFormatException e) {
            return UNKNOWN;
        }
    }

    private static long limit(Path file) {
        try {
            String text = Files.readString(file).strip();
            return text.equals("max") ? Long.MAX_VALUE : Long.parseLong(text);
        } catch (IOException | NumberFormatException e) {
            return Long.MAX_VALUE;
        }
    }
}
