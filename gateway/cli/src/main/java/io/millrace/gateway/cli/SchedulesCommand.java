package io.millrace.gateway.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Implements {@code millrace jobs schedules}: lists the schedules, with their next and their last time. */
@Command(
        name = "schedules",
        description = "List the schedules of the settings file, when each is next, and what came of its last time.")
final class SchedulesCommand extends ClientCommand {
    private static final List<String> HEAD =
            List.of("NAME", "CRON", "ZONE", "OWNER", "NEXT", "LAST", "OUTCOME", "JOB", "KIND", "WHAT");

    private static final String NOTHING = "-";

    @Option(names = "--json", description = "Print one line of JSON for each schedule.")
    private boolean json;

    SchedulesCommand(CommandEnvironment around) {
        super(around);
    }

    @Override
    protected int run() {
        List<JsonObject> schedules = api().get("/schedules", Map.of()).objects("schedules");
        if (json) {
            schedules.forEach(schedule -> out().println(JsonCodec.write(schedule)));
        } else if (schedules.isEmpty()) {
            out().println("no schedules");
        } else {
            print(schedules);
        }
        out().flush();
        return ExitCode.DONE;
    }

    private void print(List<JsonObject> schedules) {
        List<List<String>> rows = new ArrayList<>();
        rows.add(HEAD);
        schedules.forEach(schedule -> rows.add(row(schedule)));
        JobTable.aligned(rows).forEach(out()::println);
        schedules.stream()
                .filter(schedule -> !schedule.object("last").text("message").isEmpty())
                .forEach(schedule -> out().println(TerminalEscaper.escape("%s: %s"
                        .formatted(
                                schedule.text("name"), schedule.object("last").text("message")))));
    }

    private static List<String> row(JsonObject schedule) {
        JsonObject last = schedule.object("last");
        return List.of(
                text(schedule, "name"),
                text(schedule, "cron"),
                text(schedule, "zone"),
                text(schedule, "owner"),
                text(schedule, "next"),
                text(last, "time"),
                text(last, "outcome"),
                text(last, "job"),
                text(schedule.object("request"), "kind"),
                JobTable.what(schedule.object("request")));
    }

    private static String text(JsonObject object, String name) {
        return object.text(name).isEmpty() ? NOTHING : TerminalEscaper.escape(object.text(name));
    }
}
