package io.millrace.gateway.app.command;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.millrace.config.binding.LoadedSettings;
import io.millrace.config.problem.SettingsException;
import io.millrace.gateway.app.MachineChecks;
import io.millrace.gateway.app.MillraceSettings;
import io.millrace.gateway.app.SettingsLoader;
import io.millrace.gateway.app.command.Diagnosis.Severity;
import io.millrace.gateway.cli.CliException;
import io.millrace.gateway.cli.ClientCertificateOptions;
import io.millrace.gateway.cli.CommandEnvironment;
import io.millrace.kit.ClientCertificate;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Command that checks the settings file, this machine and the backends, and says what to do about each finding. */
@Command(
        name = "doctor",
        description =
                "Check the settings file, this machine and the backends: limits, disks, ports, the clock, endpoints,"
                        + " credentials and buckets. Changes nothing; may run beside the server. The exit code is 1 if"
                        + " there is a problem.")
final class DoctorCommand implements Callable<Integer> {
    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec spec;

    @Mixin
    private final SettingsFileArgument argument = new SettingsFileArgument();

    @Mixin
    private final ClientCertificateOptions clientCertificate = new ClientCertificateOptions();

    @Option(names = "--json", description = "Print one line of JSON.")
    private boolean json;

    private final List<Diagnosis> findings = new ArrayList<>();

    @Override
    public Integer call() throws SettingsException {
        try {
            return examine(clientCertificate.load(CommandEnvironment.ofProcess()));
        } catch (SettingsException refused) {
            if (!json) {
                throw refused;
            }
            findings.addAll(SettingsDiagnosis.of(refused));
            printJson(spec.commandLine().getOut());
            return 1;
        } catch (CliException e) {
            spec.commandLine().getErr().println("millrace: " + e.getMessage());
            return e.exitCode();
        }
    }

    private int examine(Optional<ClientCertificate> own) throws SettingsException {
        MachineChecks checks = MachineChecks.beforeLaunch(System.getenv());
        LoadedSettings<MillraceSettings> loaded = SettingsLoader.ofFile(argument.file(spec.commandLine()), checks);
        PrintWriter out = spec.commandLine().getOut();
        Logger log = (Logger) LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
        Level before = log.getLevel();
        // Libraries would log the failures that are reported here.
        log.setLevel(Level.OFF);
        try {
            new Doctor(loaded, checks, own).examine(found -> add(found, out));
        } finally {
            log.setLevel(before);
        }
        long problems = count(Severity.PROBLEM);
        if (json) {
            printJson(out);
        } else {
            out.printf("%nproblems: %d, warnings: %d%n", problems, count(Severity.WARNING));
        }
        out.flush();
        return problems == 0 ? 0 : 1;
    }

    private void printJson(PrintWriter out) {
        out.println(SettingsDiagnosis.json(findings));
        out.flush();
    }

    private long count(Severity severity) {
        return findings.stream().filter(found -> found.severity() == severity).count();
    }

    private void add(Diagnosis found, PrintWriter out) {
        findings.add(found);
        if (!json) {
            print(found, out);
        }
    }

    private static void print(Diagnosis found, PrintWriter out) {
        String severity =
                found.severity() == Severity.OK ? "ok" : found.severity().name().toLowerCase(Locale.ROOT);
        out.printf("%-8s %s: %s%n", severity, found.subject(), found.finding());
        if (!found.remedy().isEmpty()) {
            out.printf("%-8s %s%n", "", found.remedy());
        }
        out.flush();
    }
}
