package io.millrace.gateway.cli;

import java.util.LinkedHashMap;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * Implements {@code millrace jobs show}, {@code pause}, {@code cancel} and the other subcommands that act on existing
 * jobs.
 */
final class ExistingJobSubcommands {
    private ExistingJobSubcommands() {}

    @Command(name = "show", description = "Show all details of a job.")
    static final class Show extends SingleJobCommand {
        @Option(names = "--json", description = "Print one line of JSON.")
        private boolean json;

        Show(CommandEnvironment around) {
            super(around);
        }

        @Override
        protected int run() {
            JobSnapshot job = api().job(id());
            if (json) {
                out().println(JsonCodec.write(job.json()));
            } else {
                out().println(JobProgressText.line(job));
                out().println(JsonOutline.text(job.json()));
            }
            out().flush();
            return ExitCode.DONE;
        }
    }

    @Command(name = "watch", description = "Follow a job until it ends. Ctrl-C leaves it running.")
    static final class Watch extends SingleJobCommand {
        @Mixin
        private final FollowOptions follow = new FollowOptions();

        Watch(CommandEnvironment around) {
            super(around);
        }

        @Override
        protected int run() {
            ControlApiClient api = api();
            return follow.follow(api, api.job(id()), environment(), out(), err());
        }
    }

    @Command(name = "pause", description = "Pause jobs until they are resumed.")
    static final class Pause extends MultiJobCommand {
        Pause(CommandEnvironment around) {
            super(around);
        }

        @Override
        int apply(ControlApiClient api, String id) {
            return printStopping(post(api, id, "pause"));
        }
    }

    @Command(name = "resume", description = "Resume jobs that are paused or have failed as a whole.")
    static final class Resume extends MultiJobCommand {
        Resume(CommandEnvironment around) {
            super(around);
        }

        @Override
        int apply(ControlApiClient api, String id) {
            return printState(post(api, id, "resume"));
        }
    }

    @Command(name = "cancel", description = "Cancel jobs. What they have done is kept.")
    static final class Cancel extends MultiJobCommand {
        Cancel(CommandEnvironment around) {
            super(around);
        }

        @Override
        int apply(ControlApiClient api, String id) {
            return printStopping(post(api, id, "cancel"));
        }
    }

    @Command(name = "retry", description = "Submit a new job for the objects that failed in another.")
    static final class Retry extends MultiJobCommand {
        @Mixin
        private final WaitOptions waiting = new WaitOptions();

        Retry(CommandEnvironment around) {
            super(around);
        }

        @Override
        int apply(ControlApiClient api, String id) {
            return waiting.show(api, post(api, id, "retry"), environment(), out(), err());
        }
    }

    @Command(
            name = "failures",
            description = "List the objects that failed in a job: key, tab and reason on each line.")
    static final class Failures extends SingleJobCommand {
        @Option(names = "--json", description = "Print one line of JSON for each failure.")
        private boolean json;

        Failures(CommandEnvironment around) {
            super(around);
        }

        @Override
        protected int run() {
            ControlApiClient api = api();
            Map<String, String> query = new LinkedHashMap<>();
            do {
                JsonObject page = api.get("/jobs/" + ControlApiClient.pathSegment(id()) + "/failures", query);
                page.objects("failures").forEach(failure -> out().println(line(failure)));
                query.put("after", page.text("next"));
            } while (!query.getOrDefault("after", "").isEmpty());
            out().flush();
            return ExitCode.DONE;
        }

        private String line(JsonObject failure) {
            return json
                    ? JsonCodec.write(failure)
                    : TerminalEscaper.escape(failure.text("key"))
                            + '\t'
                            + TerminalEscaper.escape(failure.text("reason"));
        }
    }

    @Command(name = "delete", description = "Delete jobs that have ended.")
    static final class Delete extends MultiJobCommand {
        Delete(CommandEnvironment around) {
            super(around);
        }

        @Override
        int apply(ControlApiClient api, String id) {
            api.delete("/jobs/" + ControlApiClient.pathSegment(id));
            return print("job %s is deleted".formatted(TerminalEscaper.escape(id)));
        }
    }
}
