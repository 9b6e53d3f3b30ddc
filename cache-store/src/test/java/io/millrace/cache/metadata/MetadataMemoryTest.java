package io.millrace.cache.metadata;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.config.DataSize;
import java.io.File;
import java.nio.file.Path;
import java.util.Properties;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Reads, scans and eviction of a store that is larger than its memory stay within the budget of the settings. */
@Timeout(600)
class MetadataMemoryTest {
    private static final long MEMORY = DataSize.parse("32MiB").bytes();

    /**
     * The most bytes by which the process may grow beyond {@link #MEMORY}: for the allocator, thread stacks and
     * compiled code.
     */
    private static final long MARGIN = DataSize.parse("24MiB").bytes();

    private static final int ENTRIES = 500_000;

    @TempDir
    private Path folder;

    @Test
    @Tag("long")
    void scansStayWithinTheMemoryBudget() throws Exception {
        ProcessBuilder java = new ProcessBuilder(
                System.getProperty("java.home") + File.separator + "bin" + File.separator + "java",
                // The heap is resident from the start, so that it does not count as growth.
                "-Xms96m",
                "-Xmx96m",
                "-XX:+AlwaysPreTouch",
                "-XX:+UseSerialGC",
                "-cp",
                System.getProperty("java.class.path"),
                ScannedMetadataStore.class.getName(),
                folder.toString(),
                Long.toString(MEMORY),
                Integer.toString(ENTRIES));
        // As the script millrace sets it.
        java.environment().put("MALLOC_ARENA_MAX", "2");
        Process process = java.redirectError(ProcessBuilder.Redirect.INHERIT).start();
        Properties bytes = new Properties();
        bytes.load(process.getInputStream());
        assertThat(process.waitFor()).isZero();
        assertThat(number(bytes, "files")).as("bytes of the files").isGreaterThan(3 * MEMORY);
        assertThat(number(bytes, "reported")).as("memory by RocksDB").isLessThanOrEqualTo(MEMORY);
        assertThat(number(bytes, "resident")).as("resident memory").isLessThanOrEqualTo(MEMORY + MARGIN);
    }

    private static long number(Properties bytes, String name) {
        return Long.parseLong(bytes.getProperty(name));
    }
}
