package io.millrace.gateway.cli;

import java.io.PrintWriter;
import java.util.List;
import java.util.Optional;
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
        millrace.addSubcommand(new ExplainCommand(around));
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
        Optional<String> unknown = unknown(wrong);
        err.println("millrace: "
                + unknown.map(word -> unknown(command, word))
                        .orElseGet(() -> PlainText.of(String.valueOf(wrong.getMessage()))));
        List<String> meant = unknown.map(word -> Suggestions.of(command, word)).orElse(List.of());
        if (!meant.isEmpty()) {
            err.printf("Did you mean: %s?%n", String.join(" or ", meant));
        }
        if (unknown.isEmpty() && !command.getSubcommands().isEmpty()) {
            command.usage(err);
        } else {
            err.printf("See: %s --help%n", command.getCommandSpec().qualifiedName());
        }
        err.flush();
        return ExitCode.USAGE;
    }

    /** The first word that means nothing to the command. */
    private static Optional<String> unknown(ParameterException wrong) {
        return wrong instanceof UnmatchedArgumentException unmatched
                ? unmatched.getUnmatched().stream().findFirst()
                : Optional.empty();
    }

    private static String unknown(CommandLine command, String word) {
        String plain = PlainText.of(word);
        if (word.startsWith("-")) {
            return "there is no option '%s'".formatted(plain);
        }
        return command.getSubcommands().isEmpty()
                ? "'%s' is one argument too many".formatted(plain)
                : "there is no command '%s'".formatted(plain);
    }
}
