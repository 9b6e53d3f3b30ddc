package io.millrace.cache;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.testkit.BufferLeakExtension;
import io.millrace.cache.metadata.ObjectMetadata;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** A process that is killed while it writes leaves a correct and warm cache. */
@ExtendWith(BufferLeakExtension.class)
@Timeout(600)
class KillTest {
    @TempDir
    Path folder;

    private final List<String> stored = new ArrayList<>();
    private final Random random = new Random(7);

    @Test
    void storedBlocksSurviveAKill() throws Exception {
        kill(3);
    }

    @Test
    @Tag("long")
    void storedBlocksSurviveManyKills() throws Exception {
        kill(40);
    }

    private void kill(int rounds) throws Exception {
        for (int round = 0; round < rounds; round++) {
            int before = stored.size();
            writeAndKill(round);
            assertThat(stored).hasSizeGreaterThan(before);
            check();
        }
    }

    private void writeAndKill(int round) throws IOException, InterruptedException {
        String java = System.getProperty("java.home") + File.separator + "bin" + File.separator + "java";
        Process writer = new ProcessBuilder(
                        java,
                        "-cp",
                        System.getProperty("java.class.path"),
                        KillableWriter.class.getName(),
                        folder.toString(),
                        Integer.toString(round))
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        try (BufferedReader reported =
                new BufferedReader(new InputStreamReader(writer.getInputStream(), StandardCharsets.UTF_8))) {
            int until = 1 + random.nextInt(100);
            for (String name = reported.readLine(); name != null; name = reported.readLine()) {
                stored.add(name);
                if (--until == 0) {
                    // Not by the process: that would close what it has told, too.
                    writer.toHandle().destroyForcibly();
                }
            }
        }
        assertThat(writer.waitFor(60, TimeUnit.SECONDS)).isTrue();
    }

    private void check() {
        try (TestCache cache = new TestCache(folder, "16MiB", KillableWriter.DISK)) {
            int found = 0;
            for (String name : stored) {
                ObjectMetadata head =
                        cache.cache().reader().find(TestCache.id(name)).block(Duration.ofSeconds(60));
                found += head != null && cache.cache().inventory().residentBytes(head) == head.size() ? 1 : 0;
            }
            assertThat((double) found / stored.size())
                    .as("share of %d", stored.size())
                    .isGreaterThanOrEqualTo(0.99);
            for (String name : stored) {
                FaultyObjectSource source = KillableWriter.source(name);
                VerifyingReader reader = new VerifyingReader(source::bytes, 0, Long.MAX_VALUE);
                cache.read(name, source).subscribe(reader);
                reader.await(source.size());
            }
            cache.awaitIdle();
        }
    }
}
