package io.millrace.loadgen;

import picocli.CommandLine;
import picocli.CommandLine.Command;

/** Command group that measures S3 endpoints: runs scenarios and compares, merges and reports their results. */
@Command(
        name = "bench",
        description = "Measure any S3 endpoint with a load of your choice.",
        subcommands = {
            BenchRunCommand.class,
            BenchCompareCommand.class,
            BenchMergeCommand.class,
            BenchReportCommand.class,
            BenchScenarioCommand.class
        },
        synopsisSubcommandLabel = "COMMAND")
public final class BenchCommandGroup {
    private BenchCommandGroup() {}

    /** Adds the command and its subcommands to a command line. */
    public static void addTo(CommandLine program) {
        CommandLine bench = new CommandLine(new BenchCommandGroup());
        bench.getSubcommands().values().forEach(OptionConverters::register);
        program.addSubcommand(bench);
    }
}
