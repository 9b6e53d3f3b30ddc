package io.millrace.gateway.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.millrace.backend.testkit.server.PlannedResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** Tests that Ctrl-C ends the command but not the job. */
@EnabledOnOs(OS.LINUX)
class InterruptedCommandTest {
    /** A process of its own, since it is a process that is interrupted. */
    static final class Program {
        private Program() {}

        public static void main(String[] arguments) {
            CommandLine millrace = new CommandLine(new CommandHarness.Millrace());
            ClientCommandRegistry.addTo(millrace);
            System.exit(millrace.execute(arguments));
        }
    }

    @Test
    void interruptPrintsTheResumeCommand(@TempDir Path folder) throws Exception {
        try (FakeControlServer server = new FakeControlServer()
                .on("GET /api/v1/jobs/j1", PlannedResponse.json(200, JobFixtures.json("running", 10)))
                .on("GET /api/v1/jobs/j1?brief=true", PlannedResponse.json(200, JobFixtures.json("running", 10)))) {
            Path output = folder.resolve("output");
            Process watch = watch(server, output);
            awaitText(output, "job j1 running");

            new ProcessBuilder("kill", "-INT", Long.toString(watch.pid()))
                    .start()
                    .waitFor();

            assertThat(watch.waitFor(60, TimeUnit.SECONDS)).isTrue();
            assertThat(watch.exitValue()).isEqualTo(130);
            assertThat(Files.readString(output))
                    .endsWith("The job continues on the server. To follow it: millrace jobs watch j1\n");
            assertThat(server.lines()).allMatch(line -> line.startsWith("GET "));
        }
    }

    private static Process watch(FakeControlServer server, Path output) throws Exception {
        // A build in the background ignores the signal, and so would what it starts.
        ProcessBuilder program = new ProcessBuilder(List.of(
                "env",
                "--default-signal=INT",
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                Program.class.getName(),
                "jobs",
                "watch",
                "j1"));
        program.environment().put("MILLRACE_ENDPOINT_URL", server.endpoint());
        program.environment().put("AWS_ACCESS_KEY_ID", FakeControlServer.ACCESS);
        program.environment().put("AWS_SECRET_ACCESS_KEY", FakeControlServer.SECRET);
        return program.redirectErrorStream(true).redirectOutput(output.toFile()).start();
    }

    private static void awaitText(Path output, String text) throws Exception {
        await().pollInterval(Duration.ofMillis(50))
                .atMost(Duration.ofSeconds(60))
                .until(() -> Files.readString(output).contains(text));
        assertThat(Files.readString(output)).contains(text);
    }
}
