package io.millrace.gateway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests which disks an operator's folder names. */
class CacheDiskFinderTest {
    private static final List<JsonObject> DISKS = List.of(
            disk("/srv/millrace/cache"),
            disk("/mnt/one/cache"),
            disk("/mnt/one/second"),
            disk("/mnt/line\nbreak"),
            disk(Path.of("here").toAbsolutePath().toString()),
            disk("/elsewhere/here"));

    @ParameterizedTest
    @CsvSource({
        "/mnt/one/cache, /mnt/one/cache",
        "/mnt/one/cache/, /mnt/one/cache",
        "/mnt/one/../one/./second, /mnt/one/second",
        "second, /mnt/one/second",
        "./second, /mnt/one/second",
        "../one/second/, /mnt/one/second",
        "millrace/cache, /srv/millrace/cache"
    })
    void findsADiskByItsFolder(String named, String path) {
        assertThat(CacheDiskFinder.find(DISKS, named)).containsExactly(disk(path));
    }

    @ParameterizedTest
    @CsvSource({"/cache", "/one/second", "econd", ".", "..", "../..", "''", "/", "/mnt/one"})
    void findsNoDiskOfAnotherFolder(String named) {
        assertThat(CacheDiskFinder.find(DISKS, named)).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"cache, 2", "here, 1", "'/mnt/line\\u000abreak', 1"})
    void prefersTheCurrentFolderAndReportsAmbiguity(String named, int found) {
        assertThat(CacheDiskFinder.find(DISKS, named)).hasSize(found);
    }

    private static JsonObject disk(String path) {
        return new JsonObject(Map.of("path", path));
    }
}
