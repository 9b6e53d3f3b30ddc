package io.millrace.backend.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.millrace.kit.file.PrivateFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Cuts the power after a private file was replaced; here because kit has no disk whose power can be cut. */
class PrivateFilePowerCutTest {
    @TempDir
    Path folder;

    @Test
    void aPowerCutLeavesItWhole() throws IOException {
        Optional<PowerCutDisk> disk = PowerCutDisk.mount(folder);
        assumeTrue(disk.isPresent(), "needs root and xfsprogs");
        try (PowerCutDisk cut = disk.get()) {
            Path file = cut.folder().resolve("keys");
            PrivateFile.write(file, List.of("one", "two"));

            cut.cutPower();
            cut.restart();

            assertThat(file).hasContent("one\ntwo\n");
        }
    }
}
