package io.millrace.cache.disk;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests that the page cache is not expected to have more than a control group, at any depth, lets it have. */
class PageCacheSizeTest {
    private static final long GIB = 1L << 30;

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path root;

    @BeforeEach
    void haveSixteenGibibytesAndTwelveAvailable() throws IOException {
        write("proc/meminfo", "MemTotal:       16777216 kB\nMemAvailable:   12582912 kB\n");
    }

    @Test
    void isWhatTheSystemHasAvailable() {
        assertThat(PageCacheSize.bytes(root, GIB)).isEqualTo(12 * GIB);
    }

    @Test
    void isWhatTheUnitOfSystemdLeavesBesideTheHeap() throws IOException {
        write("proc/self/cgroup", "0::/system.slice/millrace.service\n");
        write("sys/fs/cgroup/system.slice/memory.max", Long.toString(8 * GIB));
        write("sys/fs/cgroup/system.slice/millrace.service/memory.max", Long.toString(4 * GIB));

        assertThat(PageCacheSize.bytes(root, GIB)).isEqualTo(3 * GIB);
        assertThat(PageCacheSize.bytes(root, 5 * GIB)).isZero();
    }

    @Test
    void isSmallOnASystemThatReportsNothing() throws IOException {
        Files.delete(root.resolve("proc/meminfo"));

        assertThat(PageCacheSize.bytes(root, GIB)).isEqualTo(GIB);
    }

    private void write(String file, String text) throws IOException {
        Path path = root.resolve(file);
        Files.createDirectories(path.getParent());
        Files.writeString(path, text);
    }
}
