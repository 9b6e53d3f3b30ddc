package io.millrace.gateway.app.command;

import io.millrace.config.binding.LoadedSettings;
import io.millrace.config.binding.SettingsReferenceGenerator;
import io.millrace.config.problem.SettingsException;
import io.millrace.gateway.app.BackendTypeRegistry;
import io.millrace.gateway.app.MachineChecks;
import io.millrace.gateway.app.MillraceSettings;
import io.millrace.gateway.app.SettingsLoader;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Command group for the settings file: check and reference. The client commands add diff and reload. */
@Command(
        name = "config",
        description = "Check the settings file, explain it, or apply its changes to a running server.",
        synopsisSubcommandLabel = "COMMAND")
final class ConfigCommand {
    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec spec;

    /** Reads the file and reports every problem there is. */
    @Command(name = "check", description = "Read the file and report every problem that a start would meet.")
    int check(
            @Mixin SettingsFileArgument argument,
            @Option(names = "--json", description = "Print one line of JSON.") boolean json)
            throws SettingsException {
        Path file = argument.file(
                Objects.requireNonNull(spec.commandLine().getSubcommands().get("check")));
        MachineChecks checks = MachineChecks.beforeLaunch(System.getenv());
        try {
            LoadedSettings<MillraceSettings> loaded = SettingsLoader.ofFile(file, checks);
            if (json) {
                printJson(SettingsDiagnosis.of(loaded, checks));
            } else {
                print(file, loaded, checks);
            }
        } catch (SettingsException refused) {
            if (!json) {
                throw refused;
            }
            printJson(SettingsDiagnosis.of(refused));
            return 1;
        }
        return 0;
    }

    private void print(Path file, LoadedSettings<MillraceSettings> loaded, MachineChecks checks) {
        MillraceSettings settings = loaded.settings();
        PrintWriter out = spec.commandLine().getOut();
        out.printf(
                "%s: the file has no problems (backends: %d, buckets: %d, identities: %d; %s)%n",
                file,
                settings.backends().size(),
                settings.buckets().size(),
                settings.identities().size(),
                checks.plan(settings));
        loaded.warnings().forEach(warning -> out.printf("%nwarning: %s%n", warning));
        out.flush();
    }

    private void printJson(List<Diagnosis> findings) {
        PrintWriter out = spec.commandLine().getOut();
        out.println(SettingsDiagnosis.json(findings));
        out.flush();
    }

    /** Prints the reference page of all settings. */
    @Command(name = "reference", description = "Print the reference page of every key, in Markdown.")
    int reference() {
        spec.commandLine()
                .getOut()
                .print(SettingsReferenceGenerator.markdown(MillraceSettings.class, BackendTypeRegistry.variants()));
        spec.commandLine().getOut().flush();
        return 0;
    }
}
