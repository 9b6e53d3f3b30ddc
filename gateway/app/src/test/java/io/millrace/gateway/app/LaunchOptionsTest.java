package io.millrace.gateway.app;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.gateway.app.command.JvmOptionsCommand;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests the output of the launch options command: the script passes every word of it to {@code java}, so it must hold
 * only options.
 */
class LaunchOptionsTest {
    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path folder;

    private record Ran(int code, String out) {}

    @Test
    void printsOptionsAndNothingElse() throws Exception {
        Ran ran = run("serve", "--config", file("fill-memory: 1GiB").toString());

        assertThat(ran.code()).isZero();
        assertThat(ran.out()).matches("-Xmx[0-9]+m -XX:MaxDirectMemorySize=[0-9]+m\n");
    }

    /** The forms in which {@code serve} takes its file. */
    @Test
    void planIsOfTheFileInWhicheverFormItIsNamed() throws Exception {
        String file = file("fill-memory: 1GiB").toString();
        Ran expected = run("serve", "--config", file);

        assertThat(expected.out()).contains("-XX:MaxDirectMemorySize=");
        assertThat(run("serve", file)).isEqualTo(expected);
        assertThat(run("serve", "--self-signed", file)).isEqualTo(expected);
        assertThat(run("serve", "--config=" + file)).isEqualTo(expected);
    }

    @Test
    void failsForWhatCannotStart() throws Exception {
        assertThat(run("serve", "--config=" + file("fill-memory: 900TiB"))).isEqualTo(new Ran(1, ""));
    }

    @Test
    void leavesUnknownArgumentsToTheCommand() throws Exception {
        assertThat(run("serve", "--help")).isEqualTo(new Ran(0, ""));
        assertThat(run("serve", "a.yaml", "b.yaml")).isEqualTo(new Ran(0, ""));
        assertThat(folder.resolve("data")).doesNotExist();
    }

    private Path file(String cache) throws IOException {
        return Files.writeString(folder.resolve("millrace.yaml"), """
                s3: { port: 0 }
                admin: { port: 0 }
                cache: { %s, disks: [ { path: ./cache, size: 64MiB } ] }
                backends: { local: { type: file, path: ./objects } }
                buckets: [ { name: "*", backend: local } ]
                identities: [ { name: admin, access-key: K, secret-key: S, allow: "*" } ]
                """.formatted(cache));
    }

    private Ran run(String... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                JvmOptionsCommand.class.getName()));
        command.addAll(List.of(arguments));
        Process process = new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectError(folder.resolve("errors").toFile())
                .start();
        String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return new Ran(process.waitFor(), out);
    }
}
