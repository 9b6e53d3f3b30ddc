package io.millrace.gateway.cli;

import java.io.PrintWriter;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Stream;
import picocli.AutoComplete.GenerateCompletion;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/** Registers the commands that send requests to a running server. */
public final class ClientCommandRegistry {
    private static final String CONFIG = "config";
    private static final Map<String, Function<CommandEnvironment, Object>> COMMANDS = new LinkedHashMap<>();

    static {
        COMMANDS.put("prefetch", PrefetchCommand::new);
        COMMANDS.put("copy", CopyCommand::new);
        COMMANDS.put("pack", PackCommand::new);
        COMMANDS.put("download", DownloadCommand::new);
        COMMANDS.put("evict", EvictCommand::new);
        COMMANDS.put("verify", VerifyCommand::new);
        COMMANDS.put("jobs", JobsCommand::of);
        COMMANDS.put("invalidate", InvalidateCommand::new);
        COMMANDS.put("residency", ResidencyCommand::new);
        COMMANDS.put("explain", ExplainCommand::new);
        COMMANDS.put("disks", DisksCommand::of);
        COMMANDS.put("cluster", ClusterCommand::of);
        COMMANDS.put("status", StatusCommand::new);
        COMMANDS.put("alarms", AlarmsCommand::new);
        COMMANDS.put("health", HealthCommand::new);
        COMMANDS.put("errors", ErrorsCommand::new);
        COMMANDS.put("token", MakeTokenCommand::new);
        COMMANDS.put("revoke", RevokeCommand::new);
    }

    /** The options of every client command that each have a value. */
    private static final Set<String> CONNECTION =
            Set.of("--endpoint-url", "--profile", "--ca-bundle", "--client-cert", "--client-key");

    private ClientCommandRegistry() {}

    /**
     * Returns the arguments with options of the connection that stand before the command, as some tools have them, at
     * the end.
     */
    public static String[] commandFirst(String... arguments) {
        int command = 0;
        while (command < arguments.length && isConnection(arguments[command])) {
            command += arguments[command].indexOf('=') < 0 ? 2 : 1;
        }
        if (command == 0 || command >= arguments.length) {
            return arguments;
        }
        return Stream.concat(Arrays.stream(arguments, command, arguments.length), Arrays.stream(arguments, 0, command))
                .toArray(String[]::new);
    }

    private static boolean isConnection(String argument) {
        int value = argument.indexOf('=');
        return CONNECTION.contains(value < 0 ? argument : argument.substring(0, value));
    }

    /** Adds the commands to {@code millrace}. */
    public static void addTo(CommandLine millrace) {
        addTo(millrace, CommandEnvironment.ofProcess());
    }

    /**
     * Adds the command of this name, if there is one. Reading the annotations of all commands takes a large part of the
     * time of a short one.
     */
    public static void addNamed(String name, CommandLine millrace) {
        Function<CommandEnvironment, Object> command = COMMANDS.get(name);
        if (command != null) {
            millrace.addSubcommand(name, command.apply(CommandEnvironment.ofProcess()));
        }
        if (name.equals(CONFIG)) {
            addToConfig(millrace, CommandEnvironment.ofProcess());
        }
        millrace.setParameterExceptionHandler(ClientCommandRegistry::reportUsageError);
    }

    static void addTo(CommandLine millrace, CommandEnvironment around) {
        COMMANDS.forEach((name, command) -> millrace.addSubcommand(name, command.apply(around)));
        addToConfig(millrace, around);
        millrace.addSubcommand("completion", new GenerateCompletion());
        millrace.setParameterExceptionHandler(ClientCommandRegistry::reportUsageError);
    }

    /** Adds the commands about a running server to those about the file. */
    private static void addToConfig(CommandLine millrace, CommandEnvironment around) {
        CommandLine config = millrace.getSubcommands().get(CONFIG);
        if (config != null) {
            ConfigChangesCommand.addTo(config, around);
        }
    }

    /** Prints a wrong usage in two lines: a page of options would scroll the reason away. */
    private static int reportUsageError(ParameterException wrong, String[] arguments) {
        CommandLine command = wrong.getCommandLine();
        PrintWriter err = command.getErr();
        Optional<String> unknown = unknown(wrong);
        err.println("millrace: "
                + unknown.map(word -> unknown(command, word)).orElseGet(() -> TerminalEscaper.escape(message(wrong))));
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

    /** Returns the message with all names of its option: it has the longest, whichever was written. */
    private static String message(ParameterException wrong) {
        String message = String.valueOf(wrong.getMessage());
        return wrong.getArgSpec() instanceof OptionSpec option
                ? message.replace("'%s'".formatted(option.longestName()), "'%s'".formatted(names(option)))
                : message;
    }

    private static String names(OptionSpec option) {
        return String.join(", ", option.names());
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
