package io.millrace.loadgen;

import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.HelpCommand;

/**
 * Entry point of the load generator. Its commands run in processes of their own, so that they share no descriptors and
 * threads.
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
        System.exit(new CommandLine(new LoadGenerator()).execute(args));
    }
}
