package io.millrace.gateway.cli;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The disks of the cache; by itself, a list of them. */
@Command(
        name = "disks",
        description = "Disks of the cache: how they do. Without a word, the list.",
        synopsisSubcommandLabel = "[COMMAND]")
final class DisksCommand extends ClientCommand {
    @Option(names = "--json", description = "As a line of JSON.")
    private boolean json;

    DisksCommand(Surroundings around) {
        super(around);
    }

    /** With the commands below it. */
    static CommandLine of(Surroundings around) {
        CommandLine disks = new CommandLine(new DisksCommand(around));
        disks.addSubcommand(new Scrub(around));
        disks.addSubcommand(new Return(around));
        return disks;
    }

    @Override
    int run() {
        JsonObject disks = api().get("/disks", Map.of());
        out().println(json ? Json.write(disks) : Outline.text(disks));
        out().flush();
        return ExitCode.DONE;
    }

    /** A word on one disk. */
    private abstract static class OnOne extends ClientCommand {
        private final String verb;

        @Parameters(index = "0", paramLabel = "DISK", description = "Its number or its folder, as the list has them.")
        @SuppressWarnings("NullAway.Init") // picocli sets it
        private String disk;

        OnOne(Surroundings around, String verb) {
            super(around);
            this.verb = verb;
        }

        @Override
        int run() {
            Api api = api();
            JsonObject done = api.post("/disks/" + Api.segment(number(api)) + "/" + verb, null);
            out().println(Outline.text(done));
            out().flush();
            return ExitCode.DONE;
        }

        private String number(Api api) {
            if (disk.chars().allMatch(Character::isDigit)) {
                return disk;
            }
            Object disks = api.get("/disks", Map.of()).fields().get("disks");
            for (Object each : disks instanceof List<?> list ? list : List.of()) {
                if (each instanceof Map<?, ?> one && Objects.equals(one.get("path"), disk)) {
                    return text(one.get("number"));
                }
            }
            throw CliException.usage("no disk has the folder " + PlainText.of(disk) + ": see millrace disks");
        }

        private static String text(@Nullable Object number) {
            return number instanceof Number whole ? Long.toString(whole.longValue()) : "";
        }
    }

    @Command(name = "scrub", description = "Compare all that lies on a disk with its checksums now.")
    static final class Scrub extends OnOne {
        Scrub(Surroundings around) {
            super(around, "scrub");
        }
    }

    @Command(
            name = "return",
            description =
                    "Take a lost disk back that is there again. What it holds is asked for once before it is used.")
    static final class Return extends OnOne {
        Return(Surroundings around) {
            super(around, "return");
        }
    }
}
