package io.millrace.gateway.app.command;

import picocli.CommandLine.Command;
import picocli.CommandLine.HelpCommand;
import picocli.CommandLine.Option;

/**
 * What can be said on the command line; {@link io.millrace.gateway.cli.ClientCommandRegistry} adds to it. Without a command, picocli asks for
 * one.
 */
@Command(
        name = "millrace",
        description = "An S3 endpoint in front of any object store.",
        subcommands = {ServeCommand.class, ConfigCommand.class, VersionCommand.class, HelpCommand.class},
        versionProvider = VersionCommand.Provider.class,
        synopsisSubcommandLabel = "COMMAND")
final class MillraceCommand {
    @SuppressWarnings("UnusedVariable") // picocli looks at the option, nobody at the field
    @Option(
            names = {"-V", "--version"},
            versionHelp = true,
            description = "Print the version.")
    private boolean version;
}
