package io.millrace.gateway.cli;

import io.millrace.gateway.cli.client.ExitCode;
import java.util.concurrent.Callable;
import picocli.AutoComplete;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** Implements {@code millrace completion}: prints the completion script for bash and zsh. */
@Command(
        name = "completion",
        description = {"Print the completion script for bash and zsh.", "  source <(millrace completion)"})
final class CompletionCommand implements Callable<Integer> {
    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec spec;

    @Override
    public Integer call() {
        CommandSpec root = spec.root();
        spec.commandLine().getOut().print(AutoComplete.bash(root.name(), root.commandLine()));
        spec.commandLine().getOut().flush();
        return ExitCode.DONE;
    }
}
