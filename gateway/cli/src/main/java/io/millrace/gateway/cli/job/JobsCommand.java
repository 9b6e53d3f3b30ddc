package io.millrace.gateway.cli.job;

import io.millrace.gateway.cli.client.ClientCommand;
import io.millrace.gateway.cli.client.CommandEnvironment;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Implements {@code millrace jobs}: lists jobs, and has the subcommands that show and control them. */
@Command(
        name = "jobs",
        description = "List jobs, or show, follow and control them.",
        synopsisSubcommandLabel = "[COMMAND]")
public final class JobsCommand extends ClientCommand {
    @Mixin
    private final JobsListCommand.ListOptions page = new JobsListCommand.ListOptions();

    JobsCommand(CommandEnvironment around) {
        super(around);
    }

    /** Creates the command with its subcommands. */
    public static CommandLine of(CommandEnvironment around) {
        CommandLine jobs = new CommandLine(new JobsCommand(around));
        for (ClientCommand command : List.of(
                new JobsListCommand(around),
                new JobSubcommands.Show(around),
                new JobSubcommands.Watch(around),
                new JobSubcommands.Pause(around),
                new JobSubcommands.Resume(around),
                new JobSubcommands.Cancel(around),
                new JobSubcommands.Retry(around),
                new JobSubcommands.Failures(around),
                new JobSubcommands.Delete(around))) {
            jobs.addSubcommand(command);
        }
        return jobs;
    }

    @Override
    protected int run() {
        return page.print(api(), out());
    }
}
