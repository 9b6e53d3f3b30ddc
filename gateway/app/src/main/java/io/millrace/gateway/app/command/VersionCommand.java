package io.millrace.gateway.app.command;

import io.millrace.gateway.app.ProgramVersion;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Command that prints the version, as {@code --version} does. */
@Command(name = "version", description = "Print the version.")
final class VersionCommand implements Callable<Integer> {
    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec spec;

    @Option(names = "--json", description = "Print one line of JSON.")
    private boolean json;

    @Override
    public Integer call() {
        spec.commandLine()
                .getOut()
                .println(
                        json
                                ? "{\"version\":\"%s\",\"java\":\"%s\"}".formatted(ProgramVersion.text(), java())
                                : line());
        return 0;
    }

    private static String java() {
        return System.getProperty("java.version");
    }

    private static String line() {
        return "millrace %s (Java %s)".formatted(ProgramVersion.text(), java());
    }

    /** Provides the version to picocli. */
    static final class Provider implements IVersionProvider {
        @Override
        public String[] getVersion() {
            return new String[] {line()};
        }
    }
}
