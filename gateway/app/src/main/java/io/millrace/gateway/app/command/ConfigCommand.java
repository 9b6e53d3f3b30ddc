package io.millrace.gateway.app.command;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.millrace.backend.spi.Backend;
import io.millrace.config.binding.LoadedSettings;
import io.millrace.config.binding.SettingsReference;
import io.millrace.config.problem.SettingsException;
import io.millrace.gateway.app.backend.OpenBackends;
import io.millrace.gateway.app.backend.SettingsProbe;
import io.millrace.gateway.app.settings.BackendTypes;
import io.millrace.gateway.app.settings.MillraceSettings;
import io.millrace.gateway.app.settings.SettingsSource;
import io.millrace.gateway.app.settings.StartChecks;
import io.millrace.gateway.objects.bucket.ClientBucketNames;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Command group for the operator's settings file: check and reference. */
@Command(
        name = "config",
        description = "Check the operator's file, or explain it.",
        synopsisSubcommandLabel = "COMMAND")
final class ConfigCommand {
    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec spec;

    /** Reads the file and reports every problem there is. */
    @Command(name = "check", description = "Read the file and report every problem that a start would meet.")
    int check(
            @Option(names = "--config", required = true, paramLabel = "FILE", description = "The file.") Path file,
            @Option(
                            names = "--probe",
                            description =
                                    "Ask the backends, too: are they reachable, do they take the keys, have they the"
                                            + " buckets?")
                    boolean probe)
            throws SettingsException {
        StartChecks checks = StartChecks.beforeLaunch(System.getenv());
        LoadedSettings<MillraceSettings> loaded = SettingsSource.ofFile(file, checks);
        MillraceSettings settings = loaded.settings();
        PrintWriter out = spec.commandLine().getOut();
        out.printf(
                "%s: no problems (backends: %d, buckets: %d, identities: %d; %s)%n",
                file,
                settings.backends().size(),
                settings.buckets().size(),
                settings.identities().size(),
                checks.plan(settings));
        loaded.warnings().forEach(warning -> out.printf("%nwarning: %s%n", warning));
        List<SettingsProbe.Fault> faults = probe ? probe(settings, out) : List.of();
        out.flush();
        return faults.isEmpty() ? 0 : 1;
    }

    private static List<SettingsProbe.Fault> probe(MillraceSettings settings, PrintWriter out) {
        Map<String, Backend> backends = BackendTypes.createRemote(settings.backends());
        Logger log = (Logger) LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
        Level before = log.getLevel();
        // Silences libraries, because the probe reports failures itself.
        log.setLevel(Level.OFF);
        try {
            List<SettingsProbe.Fault> faults =
                    new SettingsProbe(backends, new ClientBucketNames(settings.buckets())).run();
            out.printf(
                    "%nprobe of %s: %s%n",
                    backends.isEmpty()
                            ? "no backend, since all are folders"
                            : String.join(", ", new TreeSet<>(backends.keySet())),
                    faults.isEmpty() ? "no problems" : "problems: " + faults.size());
            faults.forEach(fault -> out.printf("%n%s%n", fault));
            return faults;
        } finally {
            log.setLevel(before);
            new OpenBackends(backends).close();
        }
    }

    /** Prints the reference page of all settings. */
    @Command(name = "reference", description = "Print the reference page of every key, in Markdown.")
    int reference() {
        spec.commandLine().getOut().print(SettingsReference.markdown(MillraceSettings.class, BackendTypes.variants()));
        spec.commandLine().getOut().flush();
        return 0;
    }
}
