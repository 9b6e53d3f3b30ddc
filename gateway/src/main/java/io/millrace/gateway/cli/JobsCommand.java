package io.millrace.gateway.cli;

import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Jobs that were submitted; by itself, a list of them. */
@Command(
        name = "jobs",
        description = "Jobs: what they are, how far they are, and their end. Without a word, the list.",
        synopsisSubcommandLabel = "[COMMAND]")
final class JobsCommand extends ClientCommand {
    @Mixin
    private final JobsListCommand.Page page = new JobsListCommand.Page();

    JobsCommand(Surroundings around) {
        super(around);
    }

    /** With the commands below it. */
    static CommandLine of(Surroundings around) {
        CommandLine jobs = new CommandLine(new JobsCommand(around));
        for (ClientCommand command : List.of(
                new JobsListCommand(around),
                new JobCommands.Show(around),
                new JobCommands.Watch(around),
                new JobCommands.Pause(around),
                new JobCommands.Resume(around),
                new JobCommands.Cancel(around),
                new JobCommands.Retry(around),
                new JobCommands.Failures(around),
                new JobCommands.Delete(around))) {
            jobs.addSubcommand(command);
        }
        return jobs;
    }

    @Override
    int run() {
        return page.print(api(), out());
    }
}
