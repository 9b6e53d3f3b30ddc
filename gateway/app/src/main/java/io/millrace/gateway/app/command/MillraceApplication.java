package io.millrace.gateway.app.command;

import io.millrace.config.problem.SettingsException;
import io.millrace.gateway.app.StartException;
import io.millrace.gateway.cli.ClientCommandRegistry;
import io.millrace.loadgen.BenchCommandGroup;
import picocli.CommandLine;

/** Entry point of the program {@code millrace}. */
public final class MillraceApplication {
    private MillraceApplication() {}

    /**
     * Runs one command and exits with its code: 0 success, 1 failure, 2 wrong usage; the server and client commands
     * have more codes.
     */
    public static void main(String[] args) {
        System.exit(run(args));
    }

    /** Runs one command and returns its code. */
    static int run(String... args) {
        String[] ordered = ClientCommandRegistry.commandFirst(args);
        return commandsFor(ordered).execute(ordered);
    }

    /** Returns the command line with the command that the arguments name, or with all if they name none. */
    private static CommandLine commandsFor(String... args) {
        String name = args.length == 0 ? "" : args[0];
        CommandLine millrace = new CommandLine(new MillraceCommand());
        ClientCommandRegistry.addNamed(name, millrace);
        ForgetDiskCommand.addTo(millrace);
        boolean help = name.equals("help");
        return millrace.getSubcommands().containsKey(name) && !help ? withFailureReports(millrace) : commands();
    }

    /** Returns the command line with all commands. */
    public static CommandLine commands() {
        CommandLine millrace = new CommandLine(new MillraceCommand());
        ClientCommandRegistry.addTo(millrace);
        ForgetDiskCommand.addTo(millrace);
        BenchCommandGroup.addTo(millrace);
        return withFailureReports(millrace);
    }

    private static CommandLine withFailureReports(CommandLine millrace) {
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
