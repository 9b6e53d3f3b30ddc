package io.millrace.gateway.cli;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Implements {@code millrace jobs list}: lists jobs, the newest first. */
@Command(name = "list", description = "List the jobs that you may see, the newest first.")
final class JobsListCommand extends ClientCommand {
    /** The largest page that the server returns. */
    private static final int PAGE = 1000;

    @Mixin
    private final ListOptions page = new ListOptions();

    JobsListCommand(CommandEnvironment around) {
        super(around);
    }

    @Override
    protected int run() {
        return page.print(api(), out());
    }

    /** The options of the list, and the code that prints it. */
    static final class ListOptions {
        @Option(names = "--limit", paramLabel = "N", description = "Maximum number of jobs (default: 20).")
        private int limit = 20;

        @Option(
                names = "--state",
                paramLabel = "STATE,...",
                description = "Only jobs in one of these states, as running or failed; active: all that are at work.")
        private String state = "";

        @Option(names = "--json", description = "Print one line of JSON for each job.")
        private boolean json;

        int print(ControlApiClient api, PrintWriter out) {
            List<JobSnapshot> jobs = jobs(api);
            if (json) {
                jobs.forEach(job -> out.println(JsonCodec.write(job.json())));
            } else {
                JobTable.lines(jobs).forEach(out::println);
            }
            out.flush();
            return ExitCode.DONE;
        }

        private List<JobSnapshot> jobs(ControlApiClient api) {
            if (limit < 1) {
                throw CliException.usage("--limit: must be at least 1");
            }
            List<JobSnapshot> jobs = new ArrayList<>();
            String before = "";
            do {
                Map<String, String> query = new LinkedHashMap<>();
                query.put("limit", Integer.toString(Math.min(PAGE, limit - jobs.size())));
                if (!state.isEmpty()) {
                    query.put("state", state);
                }
                if (!before.isEmpty()) {
                    query.put("before", before);
                }
                JsonObject response = api.get("/jobs", query);
                response.objects("jobs").forEach(job -> jobs.add(new JobSnapshot(job)));
                before = response.text("next");
            } while (!before.isEmpty() && jobs.size() < limit);
            return jobs;
        }
    }
}
