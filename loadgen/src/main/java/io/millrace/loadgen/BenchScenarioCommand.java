package io.millrace.loadgen;

import io.millrace.config.problem.SettingsException;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Command that lists the built-in scenarios, or prints the file of one as the beginning of a user's own. */
@Command(name = "scenario", description = "List the built-in scenarios, or print the file of one.")
final class BenchScenarioCommand implements Callable<Integer> {
    @Parameters(arity = "0..1", paramLabel = "NAME", description = "A built-in scenario.")
    private @Nullable String name;

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec spec;

    @Override
    public Integer call() throws SettingsException {
        PrintWriter out = spec.commandLine().getOut();
        if (name != null && !ScenarioLoader.BUILT_IN.contains(name)) {
            spec.commandLine().getErr().printf("millrace: there is no scenario %s%n", name);
            return 1;
        }
        if (name != null) {
            out.print(ScenarioLoader.text(name));
        } else {
            for (String scenario : ScenarioLoader.BUILT_IN) {
                out.printf("%-12s %s%n", scenario, ScenarioLoader.load(scenario).description());
            }
        }
        out.flush();
        return 0;
    }
}
