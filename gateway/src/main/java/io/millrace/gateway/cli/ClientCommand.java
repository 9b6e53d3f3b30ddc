package io.millrace.gateway.cli;

import java.io.PrintWriter;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** A command that asks the server something. */
@Command(
        sortOptions = false,
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:Done.",
            "1:It failed, or the job ended with failures or was stopped.",
            "2:Wrong usage, also in the server's eyes.",
            "3:Not allowed, or no keys.",
            "4:The server cannot be reached.",
            "130:Interrupted while waiting; the job goes on."
        })
abstract class ClientCommand implements Callable<Integer> {
    private final Surroundings around;

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec spec;

    @Mixin
    private final ConnectionOptions connection = new ConnectionOptions();

    ClientCommand(Surroundings around) {
        this.around = around;
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
     * The exit code.
     *
     * @throws CliException for what ends the command early
     */
    abstract int run();

    final Api api() {
        return connection.open(around);
    }

    final ConnectionOptions connection() {
        return connection;
    }

    final Surroundings around() {
        return around;
    }

    final PrintWriter out() {
        return spec.commandLine().getOut();
    }

    final PrintWriter err() {
        return spec.commandLine().getErr();
    }
}
