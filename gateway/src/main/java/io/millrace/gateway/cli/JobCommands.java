package io.millrace.gateway.cli;

import java.util.LinkedHashMap;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** What can be said of jobs. */
final class JobCommands {
    private JobCommands() {}

    @Command(name = "show", description = "All that is known of a job.")
    static final class Show extends JobCommand {
        @Option(names = "--json", description = "As a line of JSON.")
        private boolean json;

        Show(Surroundings around) {
            super(around);
        }

        @Override
        int run() {
            JobSnapshot job = api().job(id());
            out().println(json ? Json.write(job.json()) : Outline.text(job.json()));
            out().flush();
            return ExitCode.DONE;
        }
    }

    @Command(name = "watch", description = "Follow a job to its end. Ctrl-C leaves it running.")
    static final class Watch extends JobCommand {
        @Mixin
        private final FollowOptions follow = new FollowOptions();

        Watch(Surroundings around) {
            super(around);
        }

        @Override
        int run() {
            Api api = api();
            return follow.follow(api, api.job(id()), around(), out(), err());
        }
    }

    @Command(name = "pause", description = "Stop jobs until they are resumed.")
    static final class Pause extends SteerCommand {
        Pause(Surroundings around) {
            super(around);
        }

        @Override
        int steer(Api api, String id) {
            return stopping(post(api, id, "pause"));
        }
    }

    @Command(name = "resume", description = "Let jobs that are paused, or failed as a whole, go on.")
    static final class Resume extends SteerCommand {
        Resume(Surroundings around) {
            super(around);
        }

        @Override
        int steer(Api api, String id) {
            return told(post(api, id, "resume"));
        }
    }

    @Command(name = "cancel", description = "Give jobs up. What they have done stays done.")
    static final class Cancel extends SteerCommand {
        Cancel(Surroundings around) {
            super(around);
        }

        @Override
        int steer(Api api, String id) {
            return stopping(post(api, id, "cancel"));
        }
    }

    @Command(name = "retry", description = "Submit a new job of what failed in another.")
    static final class Retry extends SteerCommand {
        @Option(
                names = "--wait",
                description = "Wait for the end and show how it goes on. Ctrl-C leaves the job running.")
        private boolean wait;

        @Mixin
        private final FollowOptions follow = new FollowOptions();

        Retry(Surroundings around) {
            super(around);
        }

        @Override
        int steer(Api api, String id) {
            JobSnapshot job = post(api, id, "retry");
            if (wait) {
                return follow.follow(api, job, around(), out(), err());
            }
            return print(follow.isJson() ? Json.write(job.json()) : SubmitCommand.told(job));
        }
    }

    @Command(name = "failures", description = "What failed in a job: a key, a tab and the reason a line.")
    static final class Failures extends JobCommand {
        @Option(names = "--json", description = "A line of JSON for each.")
        private boolean json;

        Failures(Surroundings around) {
            super(around);
        }

        @Override
        int run() {
            Api api = api();
            Map<String, String> query = new LinkedHashMap<>();
            do {
                JsonObject page = api.get("/jobs/" + Api.segment(id()) + "/failures", query);
                page.objects("failures").forEach(failure -> out().println(line(failure)));
                query.put("after", page.text("next"));
            } while (!query.getOrDefault("after", "").isEmpty());
            out().flush();
            return ExitCode.DONE;
        }

        private String line(JsonObject failure) {
            return json
                    ? Json.write(failure)
                    : PlainText.of(failure.text("key")) + '\t' + PlainText.of(failure.text("reason"));
        }
    }

    @Command(name = "delete", description = "Forget jobs that are over.")
    static final class Delete extends SteerCommand {
        Delete(Surroundings around) {
            super(around);
        }

        @Override
        int steer(Api api, String id) {
            api.delete("/jobs/" + Api.segment(id));
            return print("job %s is forgotten".formatted(PlainText.of(id)));
        }
    }
}
