package io.millrace.gateway.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayInputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.OptionalInt;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ScopeType;

/** Runs client commands in this process, with an environment, input and terminal of its own. */
final class CommandHarness {
    private final Path folder;
    private final Map<String, String> environment = new HashMap<>();
    private String input = "";
    private OptionalInt columns = OptionalInt.empty();

    @Command(name = "millrace", mixinStandardHelpOptions = true, scope = ScopeType.INHERIT)
    static final class Millrace {}

    /** What came of a command. */
    record Result(int code, String out, String err) {}

    /**
     * @param folder to run in, and the user's home
     */
    CommandHarness(Path folder) {
        this.folder = folder;
    }

    /** With the endpoint and the keys of {@code server}. */
    static CommandHarness at(FakeControlServer server, Path folder) {
        return new CommandHarness(folder)
                .with("MILLRACE_ENDPOINT_URL", server.endpoint())
                .with("AWS_ACCESS_KEY_ID", FakeControlServer.ACCESS)
                .with("AWS_SECRET_ACCESS_KEY", FakeControlServer.SECRET);
    }

    CommandHarness with(String variable, String value) {
        environment.put(variable, value);
        return this;
    }

    CommandHarness input(String text) {
        this.input = text;
        return this;
    }

    CommandHarness terminal(int wide) {
        this.columns = OptionalInt.of(wide);
        return this;
    }

    Result run(String... arguments) {
        CommandLine millrace = new CommandLine(new Millrace());
        ClientCommandRegistry.addTo(
                millrace,
                new CommandEnvironment(
                        environment, folder, folder, new ByteArrayInputStream(input.getBytes(UTF_8)), columns));
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        int code = millrace.setOut(new PrintWriter(out))
                .setErr(new PrintWriter(err))
                .execute(arguments);
        return new Result(code, out.toString(), err.toString());
    }
}
