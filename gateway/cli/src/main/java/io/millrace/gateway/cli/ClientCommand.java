package io.millrace.gateway.cli;

import java.io.PrintWriter;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** Base class of commands that send requests to a running server. */
@Command(
        sortOptions = false,
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:Done.",
            "1:The request failed, or the job ended with failures or was stopped, or not all of a prefetch is cached.",
            "2:Wrong usage, or the server refused an argument.",
            "3:Access denied, or no credentials found.",
            "4:The server cannot be reached.",
            "130:Interrupted while waiting; the job continues."
        })
abstract class ClientCommand implements Callable<Integer> {
    private final CommandEnvironment environment;

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec spec;

    @Mixin
    private final ConnectionOptions connection = new ConnectionOptions();

    ClientCommand(CommandEnvironment around) {
        this.environment = around;
    }

    @Override
    public final Integer call() {
        try {
            return run();
        } catch (CliException e) {
            out().flush();
            err().println("millrace: " + e.getMessage());
            err().flush();
            return e.exitCode();
        }
    }

    /**
     * Runs the command and returns its exit code.
     *
     * @throws CliException to end the command with an error
     */
    protected abstract int run();

    final ControlApiClient api() {
        return connection.open(environment);
    }

    final ConnectionOptions connection() {
        return connection;
    }

    final CommandEnvironment environment() {
        return environment;
    }

    final PrintWriter out() {
        return spec.commandLine().getOut();
    }

    final PrintWriter err() {
        return spec.commandLine().getErr();
    }
}
