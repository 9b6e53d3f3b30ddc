package io.millrace.gateway.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests that one gateway has a data folder at a time, and that a check of the settings keeps none from it. */
class DataFolderTest {
    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path folder;

    @Test
    void portsOfTheLastGatewayAreNotThoseOfOneThatHasRecordedNone() {
        try (DataFolder last = DataFolder.open(folder)) {
            last.recordPorts(List.of(8080, 8081));
            assertThat(DataFolder.portsOfUser(folder)).contains(Set.of(8080, 8081));
        }
        assertThat(DataFolder.portsOfUser(folder)).as("nobody uses it").contains(Set.of());

        try (DataFolder next = DataFolder.open(folder)) {
            assertThat(DataFolder.portsOfUser(folder)).as("not known yet").isEmpty();
            next.recordPorts(List.of(9090));
            assertThat(DataFolder.portsOfUser(folder)).contains(Set.of(9090));
        }
    }

    @Test
    void folderThatIsCheckedJustNowIsOpened() throws Exception {
        Path lock = Files.createFile(folder.resolve("lock"));
        // Closed at the end only: that gives up all locks of this process.
        try (FileChannel checked = FileChannel.open(lock, StandardOpenOption.READ)) {
            FileLock shared = checked.lock(0, Long.MAX_VALUE, true);
            CompletableFuture<DataFolder> start = CompletableFuture.supplyAsync(() -> DataFolder.open(folder));
            CompletableFuture<String> check =
                    new CompletableFuture<String>().completeOnTimeout("takes a moment", 100, TimeUnit.MILLISECONDS);
            assertThat(CompletableFuture.anyOf(check, start).join()).isEqualTo("takes a moment");
            shared.release();

            try (DataFolder opened = start.get(60, TimeUnit.SECONDS)) {
                assertThat(opened).isNotNull();
                assertThatThrownBy(() -> DataFolder.open(folder))
                        .isInstanceOf(StartException.class)
                        .hasMessageContaining("is in use by another Millrace");
            }
        }
    }
}
