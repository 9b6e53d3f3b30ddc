package io.millrace.cache.disk;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.cache.index.Fingerprint;
import java.io.File;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Segments of many small records: their lists are long, and several are read at once. */
@Timeout(300)
class DenseSegmentsTest {
    private static final int DISKS = 2;
    private static final int SEGMENTS = 4;
    private static final int RECORD = 128;

    @TempDir
    Path folder;

    @Test
    void readsLargestFootersInLittleMemory() throws Exception {
        FoundInLittleMemory.open(folder, DISKS).close();
        HollowSegments.Counters counters = new HollowSegments.Counters();
        for (int disk = 0; disk < DISKS; disk++) {
            fill(folder.resolve("disk-" + disk), counters, disk);
        }

        assertThat(found("-Xmx%sm".formatted(System.getProperty("dense.heap", "224"))))
                .contains(DISKS * SEGMENTS * SegmentWriter.MOST_RECORDS + " records");
    }

    private static void fill(Path disk, HollowSegments.Counters counters, int number) throws IOException {
        long bytes = (RECORD + 40L) * SegmentWriter.MOST_RECORDS + Segment.HEADER + 64 + 4096;
        try (HollowSegments segments = new HollowSegments(disk, bytes, counters)) {
            for (int i = 0; i < SEGMENTS * SegmentWriter.MOST_RECORDS; i++) {
                segments.add(
                        segments.hash().of(Fingerprint.NONE, (long) i * DISKS + number),
                        0,
                        ByteBuffer.wrap(new byte[] {1, 2, 3}),
                        0,
                        true);
            }
        }
        assertThat(Stores.segments(disk)).hasSize(SEGMENTS);
    }

    /** What a program with so much memory says. */
    private String found(String heap) throws IOException, InterruptedException {
        String java = System.getProperty("java.home") + File.separator + "bin" + File.separator + "java";
        Process program = new ProcessBuilder(
                        java,
                        heap,
                        "-XX:MaxDirectMemorySize=512m",
                        "-cp",
                        System.getProperty("java.class.path"),
                        FoundInLittleMemory.class.getName(),
                        folder.toString(),
                        Integer.toString(DISKS))
                .redirectErrorStream(true)
                .start();
        String reported = new String(program.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(program.waitFor(1, TimeUnit.MINUTES)).isTrue();
        System.out.println(heap + ": " + reported);
        return reported;
    }
}
