package io.millrace.gateway.app;

import static org.assertj.core.api.Assertions.as;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;

import io.millrace.gateway.app.command.JvmOptionsCommand;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Tests the output of the launch options command: the script passes every word of it to {@code java}, so it must hold
 * only options.
 */
class LaunchOptionsTest {
    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path folder;

    private Map<String, String> environment = Map.of();

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

    @ParameterizedTest
    @CsvSource({
        "-Xmx99999999t, a heap of 1048576TiB or more (-Xmx) is too much",
        "-XX:MaxDirectMemorySize=9999999t, 1048576TiB or more of direct memory (-XX:MaxDirectMemorySize) are too much",
        "-Xmx1q, -Xmx1q has no size that the JVM reads"
    })
    void saysWhichOptionOfTheOperatorTheMachineCannotHave(String option, String problem) throws Exception {
        environment = Map.of("MILLRACE_JAVA_OPTIONS", option);

        assertThat(run("serve", file("fill-memory: 1GiB").toString())).isEqualTo(new Ran(1, ""));
        assertThat(errors())
                .contains("environment variable MILLRACE_JAVA_OPTIONS", problem, "remedy:")
                .doesNotContain("Exception");
    }

    @Test
    void refusalIsAnObjectWhereTheLogIsOfThem() throws Exception {
        environment = Map.of("MILLRACE_LOG_FORMAT", "json");

        assertThat(run("serve", file("fill-memory: 900TiB").toString())).isEqualTo(new Ran(1, ""));
        assertThat(errors().lines()).singleElement(as(STRING)).startsWith("{").contains("cache.fill-memory: 900TiB");
    }

    private String errors() throws IOException {
        return Files.readString(folder.resolve("errors"));
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
        ProcessBuilder builder = new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectError(folder.resolve("errors").toFile());
        builder.environment().putAll(environment);
        Process process = builder.start();
        String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return new Ran(process.waitFor(), out);
    }
}
