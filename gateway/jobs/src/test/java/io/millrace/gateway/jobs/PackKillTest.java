package io.millrace.gateway.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.spi.Backend;
import io.millrace.backend.spi.MultipartUploads.ListUploadsRequest;
import java.io.File;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A pack that appends, and whose process is killed, makes the shards that one makes without a kill: every sample once,
 * and no upload is left.
 */
@Timeout(600)
class PackKillTest {
    private static final int SAMPLES = 41;
    private static final int SHARDS = 9;

    /** In the fifth shard, which goes in parts because of it. */
    private static final String LARGE = "20-large.bin";

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path folder;

    @BeforeEach
    void store() throws IOException {
        Random random = new Random(1);
        Path set = Files.createDirectories(objects().resolve("near/near/set"));
        Files.createDirectories(objects().resolve("far/far"));
        for (int i = 0; i < SAMPLES - 1; i++) {
            byte[] content = new byte[random.nextInt(3000)];
            random.nextBytes(content);
            Files.write(set.resolve("%02d.bin".formatted(i)), content);
        }
        try (RandomAccessFile large = new RandomAccessFile(set.resolve(LARGE).toFile(), "rw")) {
            large.setLength(130 << 20);
            large.seek(70 << 20);
            large.write(1);
        }
    }

    @Test
    void killedPackMakesTheSameShards() throws Exception {
        // The second shard, in the middle of the fifth, at its end.
        assertThat(exitCode("put", 3)).isEqualTo(KillablePack.KILLED);
        assertThat(exitCode("putPart", 6)).isEqualTo(KillablePack.KILLED);
        assertThat(uploads()).isEqualTo(1);
        assertThat(exitCode("completeUpload", 1)).isEqualTo(KillablePack.KILLED);
        assertThat(uploads()).isEqualTo(1);

        assertThat(exitCode("none", 1)).as(this::log).isZero();

        assertWhole();
    }

    @Test
    @Tag("long")
    void packThatIsKilledTwentyTimesMakesTheSameShards() throws Exception {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        int kills = 0;
        int code = KillablePack.KILLED;
        while (kills < 20 && code == KillablePack.KILLED) {
            String call = List.of("head", "put", "createUpload", "putPart", "completeUpload")
                    .get(random.nextInt(5));
            // Else those near the end of the pack, of which there are few, would end it soon.
            code = exitCode(call, 1 + random.nextInt(call.equals("putPart") ? 6 : 2));
            kills += code == KillablePack.KILLED ? 1 : 0;
        }
        if (code == KillablePack.KILLED) {
            code = exitCode("none", 1);
        }

        assertThat(code).as(() -> "seed " + seed + ": " + log()).isZero();
        assertThat(kills).as("seed %d", seed).isPositive();
        assertWhole();
    }

    /** Runs a process until it is killed before a call, or has done all. */
    private int exitCode(String call, int number) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(
                        System.getProperty("java.home") + File.separator + "bin" + File.separator + "java",
                        "-cp",
                        System.getProperty("java.class.path"),
                        KillablePack.class.getName(),
                        objects().toString(),
                        Files.createDirectories(folder.resolve("killed")).toString(),
                        call,
                        Integer.toString(number))
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("log").toFile())
                .start();
        try {
            assertThat(process.waitFor(120, TimeUnit.SECONDS)).as(this::log).isTrue();
        } finally {
            process.destroyForcibly();
        }
        return process.exitValue();
    }

    private void assertWhole() throws IOException {
        packUndisturbed();
        Path killed = objects().resolve("far/far/killed");
        Path undisturbed = objects().resolve("far/far/undisturbed");
        assertThat(names(killed)).hasSize(2 * SHARDS).isEqualTo(names(undisturbed));
        List<String> samples = new ArrayList<>();
        for (String name : names(killed)) {
            assertThat(Files.mismatch(killed.resolve(name), undisturbed.resolve(name)))
                    .as(name)
                    .isEqualTo(-1);
            if (name.endsWith(".tar")) {
                samples.addAll(members(killed.resolve(name)));
            }
        }
        assertThat(samples).isEqualTo(names(objects().resolve("near/near/set")));
        assertThat(uploads()).isZero();
        try (Stream<Path> left = Files.walk(folder.resolve("killed/data/jobs"))) {
            assertThat(left.map(file -> file.getFileName().toString()))
                    .noneMatch(name -> name.startsWith("pack-") || name.startsWith("upload-"));
        }
    }

    private void packUndisturbed() throws IOException {
        Backend source = KillablePack.backend(objects(), KillablePack.NEAR);
        Backend target = KillablePack.backend(objects(), KillablePack.FAR);
        Path state = Files.createDirectories(folder.resolve("undisturbed"));
        try (JobsFixture jobs = KillablePack.fixture(state, source, target)) {
            JobStatus job = jobs.end(KillablePack.pack(jobs, "undisturbed/", false));
            assertThat(job.progress().done()).isEqualTo(SHARDS);
        } finally {
            source.close().block(JobsFixture.SOON);
            target.close().block(JobsFixture.SOON);
        }
    }

    private static List<String> names(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(file -> file.getFileName().toString()).sorted().toList();
        }
    }

    private static List<String> members(Path shard) throws IOException {
        List<String> names = new ArrayList<>();
        try (TarArchiveInputStream tar = new TarArchiveInputStream(Files.newInputStream(shard))) {
            for (TarArchiveEntry member = tar.getNextEntry(); member != null; member = tar.getNextEntry()) {
                names.add(member.getName());
            }
        }
        return names;
    }

    private long uploads() throws IOException {
        Backend target = KillablePack.backend(objects(), KillablePack.FAR);
        try {
            return Objects.requireNonNull(
                            target.listUploads(new ListUploadsRequest(KillablePack.FAR, "", "", "", "", 1000))
                                    .block(JobsFixture.SOON))
                    .uploads()
                    .size();
        } finally {
            target.close().block(JobsFixture.SOON);
        }
    }

    private Path objects() {
        return folder.resolve("objects");
    }

    private String log() {
        try {
            return Files.readString(folder.resolve("log"));
        } catch (IOException e) {
            return "no log: " + e;
        }
    }
}
