package io.millrace.gateway.cli;

import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * Base class of {@code millrace config diff} and {@code millrace config reload}: shows how the server's settings file
 * has changed.
 */
abstract class ConfigChangesCommand extends ClientCommand {
    @Option(names = "--json", description = "Print one line of JSON.")
    private boolean json;

    private final String heading;

    /** @param heading that of the changes that need no restart */
    ConfigChangesCommand(String heading, CommandEnvironment around) {
        super(around);
        this.heading = heading;
    }

    /** Adds both to the command {@code config}. */
    static void addTo(CommandLine config, CommandEnvironment around) {
        config.addSubcommand(new Diff(around));
        config.addSubcommand(new Reload(around));
    }

    @Override
    protected int run() {
        JsonObject preview = api().get("/settings/changes", Map.of());
        List<String> problems = texts(preview, "problems");
        if (!problems.isEmpty()) {
            throw CliException.failed(problems.stream()
                    .map(problem -> "%n%n".formatted() + problem)
                    .collect(Collectors.joining("", "the settings file cannot be applied:", "")));
        }
        JsonObject result = changes(preview);
        out().print(json ? JsonCodec.write(result) + '\n' : describe(result));
        out().flush();
        return ExitCode.DONE;
    }

    /** Returns the changes to show. */
    abstract JsonObject changes(JsonObject preview);

    private String describe(JsonObject result) {
        String shown = section(heading, result, false)
                + section("These need a restart:", result, true)
                + texts(result, "warnings").stream()
                        .map("warning: %s%n"::formatted)
                        .collect(Collectors.joining());
        return shown.isEmpty() ? "The file has the settings in force.%n".formatted() : shown;
    }

    private static String section(String heading, JsonObject result, boolean needsRestart) {
        String lines = result.objects("changes").stream()
                .filter(change -> change.flag("needsRestart") == needsRestart)
                .map(ConfigChangesCommand::line)
                .collect(Collectors.joining());
        return lines.isEmpty() ? "" : "%s%n%s".formatted(heading, lines);
    }

    private static String line(JsonObject change) {
        String path = TerminalEscaper.escape(change.text("path"));
        String before = TerminalEscaper.escape(change.text("before"));
        String after = TerminalEscaper.escape(change.text("after"));
        return switch (change.text("kind")) {
            case "added" -> "  + %s%s%n".formatted(path, after.isEmpty() ? "" : ": " + after);
            case "removed" -> "  - %s%s%n".formatted(path, before.isEmpty() ? "" : ": " + before);
            case "reordered" -> "  ~ %s: another order%n".formatted(path);
            default ->
                before.equals(after)
                        ? "  ~ %s: changed%n".formatted(path)
                        : "  ~ %s: %s -> %s%n".formatted(path, before, after);
        };
    }

    /** Returns a list of texts, each of which may have several lines. */
    private static List<String> texts(JsonObject result, String name) {
        return result.fields().get(name) instanceof List<?> texts
                ? texts.stream()
                        .map(text -> String.valueOf(text)
                                .lines()
                                .map(TerminalEscaper::escape)
                                .collect(Collectors.joining("%n".formatted())))
                        .toList()
                : List.of();
    }

    @Command(
            name = "diff",
            description =
                    "Show how the settings file of the server differs from its settings in force, or its problems.")
    static final class Diff extends ConfigChangesCommand {
        Diff(CommandEnvironment around) {
            super("A reload applies:", around);
        }

        @Override
        JsonObject changes(JsonObject preview) {
            return preview;
        }
    }

    @Command(
            name = "reload",
            description =
                    "Let the server read its settings file again and apply it without a restart, or show its problems.")
    static final class Reload extends ConfigChangesCommand {
        Reload(CommandEnvironment around) {
            super("In force now:", around);
        }

        @Override
        JsonObject changes(JsonObject preview) {
            return api().post("/settings/reload", null);
        }
    }
}
