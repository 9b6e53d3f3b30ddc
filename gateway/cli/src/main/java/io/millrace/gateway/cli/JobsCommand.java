package io.millrace.gateway.cli;

import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Implements {@code millrace jobs}: lists jobs, and has the subcommands that show and control them. */
@Command(
        name = "jobs",
        description = "List jobs, or show, follow and control them.",
        synopsisSubcommandLabel = "[COMMAND]")
final class JobsCommand extends ClientCommand {
    @Mixin
    private final JobsListCommand.ListOptions page = new JobsListCommand.ListOptions();

    JobsCommand(CommandEnvironment around) {
        super(around);
    }

    /** Creates the command with its subcommands. */
    static CommandLine of(CommandEnvironment around) {
        CommandLine jobs = new CommandLine(new JobsCommand(around));
        for (ClientCommand command : List.of(
                new JobsListCommand(around),
                new ExistingJobSubcommands.Show(around),
                new ExistingJobSubcommands.Watch(around),
                new ExistingJobSubcommands.Pause(around),
                new ExistingJobSubcommands.Resume(around),
                new ExistingJobSubcommands.Cancel(around),
                new ExistingJobSubcommands.Retry(around),
                new ExistingJobSubcommands.Failures(around),
                new ExistingJobSubcommands.Delete(around),
                new SchedulesCommand(around))) {
            jobs.addSubcommand(command);
        }
        return jobs;
    }

    @Override
    protected int run() {
        return page.print(api(), out());
    }
}
