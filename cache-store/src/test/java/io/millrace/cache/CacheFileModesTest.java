package io.millrace.cache;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.testkit.BufferLeakExtension;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Tests that nobody else can read what is cached: neither the bytes of objects nor their names. */
@ExtendWith(BufferLeakExtension.class)
class CacheFileModesTest {
    @TempDir
    Path folder;

    @Test
    void nobodyElseReadsACacheInFoldersThatExisted() throws IOException {
        Path disk = open(Files.createDirectory(folder.resolve("disk-0")));
        Path data = open(Files.createDirectory(folder.resolve("data")));
        open(Files.createDirectory(data.resolve("metadata")));

        useCache();

        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(disk)))
                .isEqualTo("rwx------");
        assertThat(openToOthers(data)).isEmpty();
        // As under an earlier version, which a start mends.
        open(disk);
        open(data.resolve("metadata"));

        useCache();

        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(disk)))
                .isEqualTo("rwx------");
        assertThat(openToOthers(data)).isEmpty();
        try (Stream<Path> files = Files.list(disk)) {
            assertThat(files.toList())
                    .anyMatch(file -> file.toString().endsWith(".seg"))
                    .allMatch(file -> !isOpenToOthers(file));
        }
    }

    private void useCache() {
        FaultyObjectSource source = FaultyObjectSource.sound("object", 100_000);
        try (TestCache cache = new TestCache(folder, "16MiB", "64MiB")) {
            VerifyingReader reader = new VerifyingReader(source::bytes, 0, Long.MAX_VALUE);
            cache.read(source.name(), source).subscribe(reader);
            reader.await(100_000);
            cache.awaitIdle();
        }
    }

    /** Returns what others can open in a folder that they may enter: not what is below a folder of its owner alone. */
    private static List<Path> openToOthers(Path folder) throws IOException {
        List<Path> found = new ArrayList<>();
        try (Stream<Path> entries = Files.list(folder)) {
            for (Path entry : entries.toList()) {
                if (isOpenToOthers(entry)) {
                    found.add(entry);
                }
            }
        }
        return found;
    }

    private static boolean isOpenToOthers(Path path) {
        try {
            return Files.getPosixFilePermissions(path).stream()
                    .anyMatch(right -> !right.name().startsWith("OWNER_"));
        } catch (IOException gone) {
            return false;
        }
    }

    private static Path open(Path path) throws IOException {
        return Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rwxr-xr-x"));
    }
}
