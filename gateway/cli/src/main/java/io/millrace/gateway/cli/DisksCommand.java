package io.millrace.gateway.cli;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Implements {@code millrace disks}: lists cache disks, starts a scrub, reattaches a lost disk. */
@Command(
        name = "disks",
        description = "List cache disks and their state, scrub a disk, or reattach a lost disk.",
        synopsisSubcommandLabel = "[COMMAND]")
final class DisksCommand extends ClientCommand {
    @Option(names = "--json", description = "Print one line of JSON.")
    private boolean json;

    DisksCommand(CommandEnvironment around) {
        super(around);
    }

    /** Creates the command with its subcommands. */
    static CommandLine of(CommandEnvironment around) {
        CommandLine disks = new CommandLine(new DisksCommand(around));
        disks.addSubcommand(new Scrub(around));
        disks.addSubcommand(new Reattach(around));
        return disks;
    }

    @Override
    protected int run() {
        JsonObject disks = api().get("/disks", Map.of());
        out().println(json ? JsonCodec.write(disks) : text(disks));
        out().flush();
        return ExitCode.DONE;
    }

    private static String text(JsonObject disks) {
        return disks.objects("disks").isEmpty()
                ? "There is no cache: no disk is below cache.disks of the settings."
                : JsonOutline.text(disks);
    }

    /** Base class of commands about one disk. */
    private abstract static class SingleDiskCommand extends ClientCommand {
        private final String verb;

        @Parameters(
                index = "0",
                paramLabel = "DISK",
                description = "Number or folder of the disk, as listed or as in the file of settings.")
        @SuppressWarnings("NullAway.Init") // picocli sets it
        private String disk;

        SingleDiskCommand(CommandEnvironment around, String verb) {
            super(around);
            this.verb = verb;
        }

        @Override
        protected int run() {
            ControlApiClient api = api();
            JsonObject done = api.post("/disks/" + ControlApiClient.pathSegment(number(api)) + "/" + verb, null);
            out().println(JsonOutline.text(done));
            out().flush();
            return ExitCode.DONE;
        }

        private String number(ControlApiClient api) {
            if (disk.chars().allMatch(Character::isDigit)) {
                return disk;
            }
            List<JsonObject> found =
                    CacheDiskFinder.find(api.get("/disks", Map.of()).objects("disks"), disk);
            if (found.size() == 1) {
                return text(found.get(0).fields().get("number"));
            }
            throw CliException.usage("%s cache disk has the folder %s: 'millrace disks' lists them"
                    .formatted(found.isEmpty() ? "no" : "more than one", TerminalEscaper.escape(disk)));
        }

        private static String text(@Nullable Object number) {
            return number instanceof Number whole ? Long.toString(whole.longValue()) : "";
        }
    }

    @Command(name = "scrub", description = "Verify the checksums of everything on a disk now.")
    static final class Scrub extends SingleDiskCommand {
        Scrub(CommandEnvironment around) {
            super(around, "scrub");
        }
    }

    @Command(
            name = "reattach",
            description = "Reattach a lost disk once the same disk is mounted again. Its blocks are hits at once.")
    static final class Reattach extends SingleDiskCommand {
        Reattach(CommandEnvironment around) {
            super(around, "reattach");
        }
    }
}
