package io.millrace.loadgen;

import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.HelpCommand;

/**
 * The main class of the program {@code loadgen}: measures S3 endpoints as {@code millrace bench} does, and serves what
 * this project's benchmarks need, an origin of synthetic objects and a slow link.
 */
@Command(
        name = "loadgen",
        description = "Tries and measures S3 endpoints, with objects whose bytes follow from their names.",
        subcommands = {OriginCommand.class, LinkCommand.class, ReadCommand.class, HelpCommand.class},
        synopsisSubcommandLabel = "COMMAND")
public final class LoadgenApplication {
    private LoadgenApplication() {}

    /** Runs one command and exits with its code: 0 success, 1 failure or a wrong byte, 2 wrong usage. */
    public static void main(String[] args) {
        System.exit(commands().execute(args));
    }

    /** Returns the command line with all commands. */
    static CommandLine commands() {
        CommandLine commands = new CommandLine(new LoadgenApplication());
        BenchCommandGroup.addTo(commands);
        return commands.setCaseInsensitiveEnumValuesAllowed(true);
    }
}
