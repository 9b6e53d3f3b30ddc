package io.millrace.gateway.app.command;

import picocli.CommandLine.Command;
import picocli.CommandLine.HelpCommand;
import picocli.CommandLine.ScopeType;

/**
 * Root command of the command line; {@link io.millrace.gateway.cli.ClientCommandRegistry} adds the client commands.
 * Without a subcommand picocli reports that one is missing.
 */
@Command(
        name = "millrace",
        description = "An S3 endpoint in front of any object store.",
        subcommands = {
            ServeCommand.class,
            ConfigCommand.class,
            DoctorCommand.class,
            PolicyCommand.class,
            VersionCommand.class,
            HelpCommand.class
        },
        mixinStandardHelpOptions = true,
        scope = ScopeType.INHERIT,
        versionProvider = VersionCommand.Provider.class,
        synopsisSubcommandLabel = "COMMAND")
final class MillraceCommand {}
