package io.millrace.loadgen.command;

import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.HelpCommand;

/**
 * Entry point of the program {@code loadgen}, which this project's own benchmarks use: an origin of synthetic objects, a
 * slow link, and a reader of those objects. It has the commands of {@link BenchCommand} too.
 */
@Command(
        name = "loadgen",
        description = "Tries and measures S3 endpoints, with objects whose bytes follow from their names.",
        subcommands = {OriginCommand.class, LinkCommand.class, ReadCommand.class, HelpCommand.class},
        synopsisSubcommandLabel = "COMMAND")
public final class LoadGenerator {
    private LoadGenerator() {}

    /** Runs one command and exits with its code: 0 success, 1 failure or a wrong byte, 2 wrong usage. */
    public static void main(String[] args) {
        System.exit(commands().execute(args));
    }

    /** Returns the command line with all commands. */
    static CommandLine commands() {
        CommandLine commands = new CommandLine(new LoadGenerator());
        BenchCommand.addTo(commands);
        return commands.setCaseInsensitiveEnumValuesAllowed(true);
    }
}
