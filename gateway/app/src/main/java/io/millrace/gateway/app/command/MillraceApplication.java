package io.millrace.gateway.app.command;

import io.millrace.config.problem.SettingsException;
import io.millrace.gateway.app.settings.StartException;
import io.millrace.gateway.cli.ClientCommandRegistry;
import picocli.CommandLine;

/** The program. */
public final class MillraceApplication {
    private MillraceApplication() {}

    /** Runs one command and exits with its code: 0 done, 1 failed, 2 wrong usage; those of the client have more. */
    public static void main(String[] args) {
        System.exit(commands().execute(args));
    }

    /** All commands there are. */
    public static CommandLine commands() {
        CommandLine millrace = new CommandLine(new MillraceCommand());
        ClientCommandRegistry.addTo(millrace);
        return millrace.setExecutionExceptionHandler(MillraceApplication::report)
                .setCaseInsensitiveEnumValuesAllowed(true);
    }

    private static int report(Exception failure, CommandLine command, CommandLine.ParseResult parsed) throws Exception {
        if (failure instanceof StartException || failure instanceof SettingsException) {
            command.getErr().println("millrace: " + failure.getMessage());
            return 1;
        }
        throw failure;
    }
}
