package io.millrace.gateway.jobs;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.gateway.jobs.plan.PlanException;
import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests that an arrangement leaves room on its disk for the state of all other jobs. */
class ArrangementWriterTest {
    @TempDir
    Path folder;

    @Test
    void arrangementsLeaveRoomOnTheirDisk() throws IOException {
        FileStore disk = Files.getFileStore(folder);

        assertThatCode(() -> ArrangementWriter.requireRoom(disk, 0)).doesNotThrowAnyException();
        assertThatThrownBy(() -> ArrangementWriter.requireRoom(disk, Long.MAX_VALUE))
                .isInstanceOf(PlanException.class)
                .hasMessageContaining("make room there");
    }
}
