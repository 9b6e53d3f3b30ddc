package io.millrace.cache.disk;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.cache.index.FingerprintHash;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(30)
class DoubtTest {
    @TempDir
    Path folder;

    private final DiskMarker marker = DiskMarker.fresh(UUID.randomUUID(), new FingerprintHash(1, 2));
    private Path disk;
    private Path data;
    private Doubt doubt;

    @BeforeEach
    void begin() throws IOException {
        disk = Files.createDirectory(folder.resolve("disk"));
        data = folder.resolve("data");
        doubt = new Doubt(disk, marker, KnownDisks.read(data), () -> false);
    }

    @Test
    void thatALostDiskIsDoubtedIsWrittenAsSoonAsItCanBe() throws Exception {
        Files.writeString(data, "where a folder should be");

        doubt.abandon();
        assertThat(Files.isDirectory(data)).isFalse();
        Files.delete(data);

        assertThat(isRemembered()).isTrue();
        doubt.close(true);
        assertThat(disk).isEmptyDirectory();
    }

    @Test
    void whoDoubtsALostDiskIsToldWhenThatIsWritten() throws Exception {
        doubt.abandon();
        CountDownLatch told = new CountDownLatch(1);

        doubt.raise(told::countDown);

        assertThat(told.await(10, TimeUnit.SECONDS)).isTrue();
        assertThat(isRemembered()).isTrue();
        doubt.close(true);
    }

    @Test
    void whatADiskThatHangsCouldNotBeToldIsRememberedBesideItAtTheEnd() throws Exception {
        Files.writeString(data, "where a folder should be");
        try (Standstill hanging = Standstill.of(ForcedFiles.freshBeside(disk.resolve(DiskMarker.NAME)))) {
            doubt.raise(() -> {});
            Thread.sleep(500);
            Files.delete(data);

            doubt.close(false);

            assertThat(KnownDisks.read(data).doubtBelow(marker.disk())).isPositive();
        }
    }

    /** A disk that fails at the end doubts those that may have what it could not replace, and some of them are closed by then. */
    @Test
    void whatIsRaisedBehindTheEndIsRememberedBesideTheDiskAndTold() throws Exception {
        doubt.close(true);
        CountDownLatch told = new CountDownLatch(1);

        doubt.raise(told::countDown);

        assertThat(told.await(10, TimeUnit.SECONDS)).isTrue();
        assertThat(isRemembered()).isTrue();
    }

    private boolean isRemembered() throws IOException, InterruptedException {
        for (int i = 0; i < 500; i++) {
            if (KnownDisks.read(data).doubtBelow(marker.disk()) > 0) {
                return true;
            }
            Thread.sleep(20);
        }
        return false;
    }
}
