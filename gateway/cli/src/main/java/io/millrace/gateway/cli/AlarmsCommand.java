package io.millrace.gateway.cli;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Implements {@code millrace alarms}: says whether all is well, lists the alarms, acknowledges one. */
@Command(
        name = "alarms",
        description = {
            "List what needs an operator, the weightiest first.",
            "The exit code is 0 if all is well, 1 if there is an alarm that nobody has acknowledged."
        })
final class AlarmsCommand extends ClientCommand {
    @Option(
            names = "--acknowledge",
            paramLabel = "ID",
            description = "Mark the alarm with this id as known, until it ends or the server starts again.")
    private @Nullable String id;

    @Option(
            names = "--since",
            paramLabel = "TIME",
            description =
                    "With --acknowledge: since when the alarm that you saw has been there, as the list has it. One that"
                            + " began later is not acknowledged. Without it, the one that there is now is meant.")
    private @Nullable String since;

    @Option(names = "--json", description = "Print one line of JSON.")
    private boolean json;

    AlarmsCommand(CommandEnvironment around) {
        super(around);
    }

    @Override
    protected int run() {
        if (id == null && since != null) {
            throw CliException.usage("--since is that of an alarm: name it with --acknowledge");
        }
        int code = id == null ? list() : acknowledge(id);
        out().flush();
        return code;
    }

    private int acknowledge(String wanted) {
        String seen = since == null ? sinceNow(wanted) : since;
        JsonObject alarm = api().post("/alarms/acknowledgements", Map.of("id", wanted, "since", seen));
        out().println(json ? JsonCodec.write(alarm) : "Acknowledged: " + line(alarm));
        return ExitCode.DONE;
    }

    private String sinceNow(String wanted) {
        return api().get("/alarms", Map.of()).objects("alarms").stream()
                .filter(alarm -> alarm.text("id").equals(wanted))
                .findFirst()
                .orElseThrow(() -> CliException.failed(
                        "there is no alarm '%s' now: millrace alarms lists them with their ids".formatted(wanted)))
                .text("since");
    }

    private int list() {
        JsonObject found = api().get("/alarms", Map.of());
        if (json) {
            out().println(JsonCodec.write(found));
        } else {
            lines(found).forEach(out()::println);
        }
        return found.flag("well") ? ExitCode.DONE : ExitCode.FAILED;
    }

    /** Returns a line for each alarm of the list of them, or one that says that there is none. */
    static List<String> lines(JsonObject found) {
        List<JsonObject> alarms = found.objects("alarms");
        return alarms.isEmpty()
                ? List.of("No alarms: all is well.")
                : alarms.stream().map(AlarmsCommand::line).toList();
    }

    private static String line(JsonObject alarm) {
        JsonObject known = alarm.object("acknowledged");
        return TerminalEscaper.escape("%-8s  %s %s since %s%s: %s  (id %s)"
                .formatted(
                        alarm.text("level"),
                        alarm.text("subject"),
                        alarm.text("state"),
                        HumanReadable.time(alarm.text("since")),
                        known.text("by").isEmpty() ? "" : ", acknowledged by " + known.text("by"),
                        alarm.text("message"),
                        alarm.text("id")));
    }
}
