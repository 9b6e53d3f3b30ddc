package io.millrace.gateway.cli;

import io.millrace.gateway.cli.client.ClientCommand;
import io.millrace.gateway.cli.client.CommandEnvironment;
import io.millrace.gateway.cli.client.ExitCode;
import io.millrace.gateway.cli.job.CopyCommand;
import io.millrace.gateway.cli.job.DownloadCommand;
import io.millrace.gateway.cli.job.EvictCommand;
import io.millrace.gateway.cli.job.JobsCommand;
import io.millrace.gateway.cli.job.PrefetchCommand;
import io.millrace.gateway.cli.job.VerifyCommand;
import io.millrace.gateway.cli.text.TerminalEscaper;
import java.io.PrintWriter;
import java.util.List;
import java.util.Optional;
import picocli.AutoComplete.GenerateCompletion;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/** Registers the commands that send requests to a running server. */
public final class ClientCommandRegistry {
    private ClientCommandRegistry() {}

    /** Adds the commands to {@code millrace}. */
    public static void addTo(CommandLine millrace) {
        addTo(millrace, CommandEnvironment.ofProcess());
    }

    static void addTo(CommandLine millrace, CommandEnvironment around) {
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
        millrace.addSubcommand("completion", new GenerateCompletion());
        millrace.setParameterExceptionHandler(ClientCommandRegistry::reportUsageError);
    }

    /** Prints a wrong usage in two lines: a page of options would scroll the reason away. */
    private static int reportUsageError(ParameterException wrong, String[] arguments) {
        CommandLine command = wrong.getCommandLine();
        PrintWriter err = command.getErr();
        Optional<String> unknown = unknown(wrong);
        err.println("millrace: "
                + unknown.map(word -> unknown(command, word))
                        .orElseGet(() -> TerminalEscaper.escape(String.valueOf(wrong.getMessage()))));
        if (wrong instanceof UnmatchedArgumentException unmatched
                && !unmatched.getSuggestions().isEmpty()) {
            err.printf("Did you mean: %s?%n", String.join(" or ", unmatched.getSuggestions()));
        }
        if (unknown.isEmpty() && !command.getSubcommands().isEmpty()) {
            command.usage(err);
        } else {
            err.printf("See: %s --help%n", command.getCommandSpec().qualifiedName());
        }
        err.flush();
        return ExitCode.USAGE;
    }

    /** Returns the first argument that the command does not know. */
    private static Optional<String> unknown(ParameterException wrong) {
        return wrong instanceof UnmatchedArgumentException unmatched
                ? unmatched.getUnmatched().stream().findFirst()
                : Optional.empty();
    }

    private static String unknown(CommandLine command, String word) {
        String plain = TerminalEscaper.escape(word);
        if (word.startsWith("-")) {
            return "unknown option '%s'".formatted(plain);
        }
        return command.getSubcommands().isEmpty()
                ? "unexpected argument '%s'".formatted(plain)
                : "unknown command '%s'".formatted(plain);
    }
}
