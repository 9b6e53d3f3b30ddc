package io.millrace.loadgen;

import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.HelpCommand;

/** The program. Its commands run in processes of their own, so that none takes the other's descriptors or threads. */
@Command(
        name = "loadgen",
        description = "Tries and measures S3 endpoints, with objects whose bytes follow from their names.",
        subcommands = {OriginCommand.class, LinkCommand.class, ReadCommand.class, HelpCommand.class},
        synopsisSubcommandLabel = "COMMAND")
public final class LoadGenerator {
    private LoadGenerator() {}

    /** Runs one command and exits with its code: 0 done, 1 failed or a byte was wrong, 2 wrong usage. */
    public static void main(String[] args) {
        System.exit(new CommandLine(new LoadGenerator()).execute(args));
    }
}
