package io.millrace.cache.disk;

import io.millrace.config.MachineMemory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Determines how much memory is left for the page cache: what the system has available, within the memory limit of this
 * process.
 */
final class PageCacheSize {
    /** The default if the system does not report it. */
    private static final long UNKNOWN = 1L << 30;

    private PageCacheSize() {}

    static long bytes() {
        return bytes(Path.of("/"), Runtime.getRuntime().maxMemory());
    }

    /**
     * Returns it as the kernel's files say.
     *
     * @param root folder that stands for the root of the file system
     * @param heap the largest heap of this process, which the page cache cannot have
     */
    static long bytes(Path root, long heap) {
        long limit = MachineMemory.read(root).bytes() - heap;
        return Math.max(0, Math.min(available(root.resolve("proc/meminfo")), limit));
    }

    private static long available(Path meminfo) {
        try {
            return Files.readAllLines(meminfo).stream()
                    .filter(line -> line.startsWith("MemAvailable:"))
                    .map(line -> line.replaceAll("[^0-9]", ""))
                    .mapToLong(kibibytes -> Long.parseLong(kibibytes) << 10)
                    .findFirst()
                    .orElse(UNKNOWN);
        } catch (IOException | NumberFormatException e) {
            return UNKNOWN;
        }
    }
}
