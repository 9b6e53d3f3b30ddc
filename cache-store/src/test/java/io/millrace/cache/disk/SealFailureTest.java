package io.millrace.cache.disk;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** Tests that a failed seal is explained: what failed, what it costs, what to do. */
class SealFailureTest {
    @Test
    void messageNamesTheFileTheCostAndTheRemedy() {
        assertThat(SegmentLogWriter.cannotBeSealed(
                        Path.of("/mnt/a/00000007.seg"), new IOException("No space left on device")))
                .startsWith("/mnt/a/00000007.seg cannot be sealed: ")
                .contains(
                        "No space left on device",
                        "stay hits",
                        "the next start takes longer",
                        "Make room on this disk");
    }
}
