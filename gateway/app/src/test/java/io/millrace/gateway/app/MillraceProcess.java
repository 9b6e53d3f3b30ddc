package io.millrace.gateway.app;

import io.millrace.backend.testkit.Polling;
import io.millrace.gateway.app.command.MillraceApplication;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.awaitility.core.ConditionTimeoutException;

/** Runs the program as an operator does: a process of its own, with its output in a file. */
final class MillraceProcess implements AutoCloseable {
    private static final HttpClient CLIENT = HttpClient.newHttpClient();

    private final Process process;
    private final Path output;

    private MillraceProcess(Process process, Path output) {
        this.process = process;
        this.output = output;
    }

    /** Runs {@code millrace} with these arguments in this folder. */
    static MillraceProcess run(Path folder, Map<String, String> environment, String... arguments) throws IOException {
        // Whoever runs the tests under nohup ignores the signal, and children inherit that.
        return run("--default-signal=HUP", MillraceApplication.class, folder, environment, arguments);
    }

    /** Runs it by another main class, which does something to it. */
    static MillraceProcess runBy(Class<?> main, Path folder, Map<String, String> environment, String... arguments)
            throws IOException {
        return run("--default-signal=HUP", main, folder, environment, arguments);
    }

    /** Runs it as {@code nohup} does. */
    static MillraceProcess runWithoutHangup(Path folder, Map<String, String> environment, String... arguments)
            throws IOException {
        return run("--ignore-signal=HUP", MillraceApplication.class, folder, environment, arguments);
    }

    private static MillraceProcess run(
            String signal, Class<?> main, Path folder, Map<String, String> environment, String... arguments)
            throws IOException {
        List<String> command = new ArrayList<>(List.of(
                "env",
                signal,
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx256m",
                "-XX:MaxDirectMemorySize=1g",
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-cp",
                System.getProperty("java.class.path"),
                main.getName()));
        command.addAll(List.of(arguments));
        Path output = Files.createTempFile(folder, "output", ".txt");
        ProcessBuilder builder = new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile());
        builder.environment().put("LC_ALL", "C.UTF-8");
        builder.environment().putAll(environment);
        return new MillraceProcess(builder.start(), output);
    }

    /** Waits until the control plane says that S3 is served. */
    MillraceProcess awaitHealth(int adminPort) throws IOException, InterruptedException {
        try {
            // A start takes seconds of the processors that polls would take.
            Polling.within(Duration.ofMinutes(1))
                    .pollInterval(Duration.ofMillis(50))
                    .until(() -> isHealthy(adminPort) || !process.isAlive());
        } catch (ConditionTimeoutException tooLong) {
            throw new IOException("millrace does not come up:\n" + output(), tooLong);
        }
        if (!process.isAlive()) {
            throw new IOException("millrace has ended:\n" + output());
        }
        return this;
    }

    /** Waits for the process to end. */
    int exitCode() throws InterruptedException {
        if (!process.waitFor(60, TimeUnit.SECONDS)) {
            throw new IllegalStateException("millrace does not end");
        }
        return process.exitValue();
    }

    /** Returns the output so far. */
    String output() throws IOException {
        return Files.readString(output);
    }

    /** Stops the process with a signal, as a service manager does. */
    void terminate() {
        process.destroy();
    }

    /** Sends SIGHUP. */
    void hangup() throws IOException, InterruptedException {
        int code = new ProcessBuilder("kill", "-HUP", Long.toString(process.pid()))
                .start()
                .waitFor();
        if (code != 0) {
            throw new IOException("the signal could not be sent: " + code);
        }
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }

    static String get(String url) throws IOException, InterruptedException {
        HttpResponse<String> response =
                CLIENT.send(HttpRequest.newBuilder(URI.create(url)).build(), HttpResponse.BodyHandlers.ofString());
        return response.statusCode() + " " + response.body();
    }

    static boolean isHealthy(int adminPort) throws InterruptedException {
        try {
            return get("http://127.0.0.1:" + adminPort + "/health").startsWith("200");
        } catch (IOException notYet) {
            return false;
        }
    }
}
