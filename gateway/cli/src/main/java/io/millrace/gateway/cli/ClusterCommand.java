package io.millrace.gateway.cli;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Implements {@code millrace cluster}: shows what the server knows of the other members of its cluster. */
@Command(
        name = "cluster",
        description = "Show the members of the server's cluster.",
        synopsisSubcommandLabel = "COMMAND")
final class ClusterCommand implements Runnable {
    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec spec;

    /** Creates the command with its subcommands. */
    static CommandLine of(CommandEnvironment around) {
        CommandLine cluster = new CommandLine(new ClusterCommand());
        cluster.addSubcommand(new Status(around));
        return cluster;
    }

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "Missing required subcommand");
    }

    /** Implements {@code millrace cluster status}. */
    @Command(
            name = "status",
            description = "Show whether this member is ready, and the state of each other one, with what it is home of."
                    + " Ends with 1 unless all is well.")
    static final class Status extends ClientCommand {
        @Option(names = "--json", description = "Print one line of JSON.")
        private boolean json;

        Status(CommandEnvironment around) {
            super(around);
        }

        @Override
        protected int run() {
            JsonObject cluster = api().get("/cluster", Map.of());
            if (json) {
                out().println(JsonCodec.write(cluster));
            } else {
                lines(cluster).forEach(out()::println);
            }
            out().flush();
            boolean well = cluster.flag("ready")
                    && cluster.objects("members").stream()
                            .allMatch(member -> member.text("message").isEmpty());
            return well ? ExitCode.DONE : ExitCode.FAILED;
        }

        private static List<String> lines(JsonObject cluster) {
            List<String> lines = new ArrayList<>();
            lines.add(TerminalEscaper.escape("Member %s of cluster %s: %s, %s, placement %s"
                    .formatted(
                            cluster.text("node"),
                            cluster.text("cluster"),
                            cluster.flag("ready") ? "ready" : "not ready",
                            cluster.flag("leaseHeld") ? "holds all leases" : "strong buckets revalidate",
                            cluster.text("placement"))));
            if (cluster.has("homePercent")) {
                lines.add("%s; stored beside their homes: %s"
                        .formatted(home(cluster), HumanReadable.bytes(cluster.number("copiedBytes"))));
            }
            add(lines, cluster.text("message"));
            add(lines, cluster.text("advice"));
            for (JsonObject member : cluster.objects("members")) {
                lines.add(TerminalEscaper.escape("%-12s %-12s %s%s%s"
                        .formatted(
                                member.text("name"),
                                member.text("state"),
                                member.text("address"),
                                heard(member),
                                missed(member))));
                if (member.has("homePercent")) {
                    lines.add("  %s; served for this member: %s; fallbacks: %s"
                            .formatted(
                                    home(member),
                                    HumanReadable.count(member.number("relayedReads")),
                                    HumanReadable.count(member.number("fallbacks"))));
                }
                add(lines, member.text("message"));
            }
            return lines;
        }

        private static String home(JsonObject member) {
            return "home of %s%% of the objects".formatted(TerminalEscaper.escape(member.text("homePercent")));
        }

        private static void add(List<String> lines, String message) {
            if (!message.isEmpty()) {
                lines.add("  " + TerminalEscaper.escape(message));
            }
        }

        private static String heard(JsonObject member) {
            return member.has("silentMillis")
                    ? ", heard %s ago"
                            .formatted(HumanReadable.latency(Duration.ofMillis(member.number("silentMillis"))))
                    : ", not heard since the start";
        }

        private static String missed(JsonObject member) {
            return member.number("missedBuckets") == 0
                    ? ""
                    : ", has yet to invalidate what it missed (buckets: %s)"
                            .formatted(HumanReadable.count(member.number("missedBuckets")));
        }
    }
}
