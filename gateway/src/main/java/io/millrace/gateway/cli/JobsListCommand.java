package io.millrace.gateway.cli;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The youngest jobs first. */
@Command(name = "list", description = "The jobs one may see, the youngest first.")
final class JobsListCommand extends ClientCommand {
    /** What the server gives at a time. */
    private static final int PAGE = 1000;

    @Mixin
    private final Page page = new Page();

    JobsListCommand(Surroundings around) {
        super(around);
    }

    @Override
    int run() {
        return page.print(api(), out());
    }

    /** Some of the list. */
    static final class Page {
        @Option(names = "--limit", paramLabel = "N", description = "So many at most; 20 without.")
        private int limit = 20;

        @Option(names = "--json", description = "A line of JSON for each.")
        private boolean json;

        int print(Api api, PrintWriter out) {
            List<JobSnapshot> jobs = jobs(api);
            if (json) {
                jobs.forEach(job -> out.println(Json.write(job.json())));
            } else {
                JobTable.lines(jobs).forEach(out::println);
            }
            out.flush();
            return ExitCode.DONE;
        }

        private List<JobSnapshot> jobs(Api api) {
            if (limit < 1) {
                throw CliException.usage("--limit: is 1 or more");
            }
            List<JobSnapshot> jobs = new ArrayList<>();
            String before = "";
            do {
                Map<String, String> query = new LinkedHashMap<>();
                query.put("limit", Integer.toString(Math.min(PAGE, limit - jobs.size())));
                if (!before.isEmpty()) {
                    query.put("before", before);
                }
                JsonObject answer = api.get("/jobs", query);
                answer.objects("jobs").forEach(job -> jobs.add(new JobSnapshot(job)));
                before = answer.text("next");
            } while (!before.isEmpty() && jobs.size() < limit);
            return jobs;
        }
    }
}
