package io.millrace.gateway.app.command;

import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;

/** The settings file of a command: the value of {@code --config}, or the only argument. */
final class SettingsFileArgument {
    @Option(names = "--config", paramLabel = "FILE", description = "The settings file (docs/configuration.md).")
    private @Nullable Path option;

    @Parameters(
            index = "0",
            arity = "0..1",
            paramLabel = "FILE",
            description = "The settings file, instead of --config.")
    private @Nullable Path argument;

    /** @throws ParameterException if there is none, or if there are two */
    Path file(CommandLine command) {
        return find(command)
                .orElseThrow(() -> new ParameterException(
                        command,
                        "The settings file is missing: write %s FILE, or --config FILE"
                                .formatted(command.getCommandSpec().qualifiedName())));
    }

    /**
     * Returns the file; empty if there is none.
     *
     * @throws ParameterException if there are two
     */
    Optional<Path> find(CommandLine command) {
        if (option != null && argument != null) {
            throw new ParameterException(command, "name the file once, by --config or without");
        }
        return Optional.ofNullable(option == null ? argument : option);
    }
}
