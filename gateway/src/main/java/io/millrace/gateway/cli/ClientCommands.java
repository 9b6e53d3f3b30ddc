package io.millrace.gateway.cli;

import java.io.PrintWriter;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/** The commands that speak to a running server. */
public final class ClientCommands {
    private ClientCommands() {}

    /** Puts them below {@code millrace}, with what they find around this process, and explains all there are then. */
    public static void addTo(CommandLine millrace) {
        addTo(millrace, Surroundings.ofProcess());
    }

    static void addTo(CommandLine millrace, Surroundings around) {
        List<ClientCommand> jobs = List.of(
                new PrefetchCommand(around),
                new CopyCommand(around),
                new DownloadCommand(around),
                new EvictCommand(around),
                new VerifyCommand(around));
        jobs.forEach(millrace::addSubcommand);
        millrace.addSubcommand(JobsCommand.of(around));
        millrace.addSubcommand(new InvalidateCommand(around));
        millrace.addSubcommand(new ResidencyCommand(around));
        millrace.addSubcommand(DisksCommand.of(around));
        millrace.addSubcommand(new StatusCommand(around));
        millrace.addSubcommand(new TokenCommand(around));
        millrace.addSubcommand(new CompletionCommand());
        explain(millrace);
        millrace.setParameterExceptionHandler(ClientCommands::misused);
    }

    /** {@code --help}, for every command there is. */
    private static void explain(CommandLine command) {
        if (!command.getCommandSpec().helpCommand()) {
            command.getCommandSpec()
                    .addOption(OptionSpec.builder("-h", "--help")
                            .usageHelp(true)
                            .description("Explain the command.")
                            .build());
        }
        command.getSubcommands().values().forEach(ClientCommands::explain);
    }

    /** Two lines say more than a page of options below which the reason has scrolled away. */
    private static int misused(ParameterException wrong, String[] arguments) {
        CommandLine command = wrong.getCommandLine();
        PrintWriter err = command.getErr();
        err.println("millrace: " + PlainText.of(String.valueOf(wrong.getMessage())));
        if (!command.getSubcommands().isEmpty() && !UnmatchedArgumentException.printSuggestions(wrong, err)) {
            command.usage(err);
        } else {
            err.printf("See: %s --help%n", command.getCommandSpec().qualifiedName());
        }
        err.flush();
        return ExitCode.USAGE;
    }
}
