package io.millrace.gateway.app.command;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.millrace.config.binding.LoadedSettings;
import io.millrace.config.problem.SettingsException;
import io.millrace.gateway.app.doctor.Diagnosis;
import io.millrace.gateway.app.doctor.Diagnosis.Severity;
import io.millrace.gateway.app.doctor.Doctor;
import io.millrace.gateway.app.settings.MachineChecks;
import io.millrace.gateway.app.settings.MillraceSettings;
import io.millrace.gateway.app.settings.SettingsLoader;
import io.millrace.gateway.cli.client.CliException;
import io.millrace.gateway.cli.client.ClientCertificateOptions;
import io.millrace.gateway.cli.client.CommandEnvironment;
import io.millrace.kit.tls.ClientCertificate;
import java.io.PrintWriter;
import java.nio.file.Path;
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
                        + " credentials and buckets. Changes nothing; may run beside the server. The exit code is 1 if there is"
                        + " a problem.")
final class DoctorCommand implements Callable<Integer> {
    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec spec;

    @Option(names = "--config", required = true, paramLabel = "FILE", description = "The settings file.")
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private Path file;

    @Mixin
    private final ClientCertificateOptions clientCertificate = new ClientCertificateOptions();

    private int problems;
    private int warnings;

    @Override
    public Integer call() throws SettingsException {
        try {
            return examine(clientCertificate.load(CommandEnvironment.ofProcess()));
        } catch (CliException e) {
            spec.commandLine().getErr().println("millrace: " + e.getMessage());
            return e.exitCode();
        }
    }

    private int examine(Optional<ClientCertificate> own) throws SettingsException {
        MachineChecks checks = MachineChecks.beforeLaunch(System.getenv());
        LoadedSettings<MillraceSettings> loaded = SettingsLoader.ofFile(file, checks);
        PrintWriter out = spec.commandLine().getOut();
        Logger log = (Logger) LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
        Level before = log.getLevel();
        // Libraries would log the failures that are reported here.
        log.setLevel(Level.OFF);
        try {
            new Doctor(loaded, checks, own).examine(found -> print(found, out));
        } finally {
            log.setLevel(before);
        }
        out.printf("%nproblems: %d, warnings: %d%n", problems, warnings);
        out.flush();
        return problems == 0 ? 0 : 1;
    }

    private void print(Diagnosis found, PrintWriter out) {
        problems += found.severity() == Severity.PROBLEM ? 1 : 0;
        warnings += found.severity() == Severity.WARNING ? 1 : 0;
        String severity =
                found.severity() == Severity.OK ? "ok" : found.severity().name().toLowerCase(Locale.ROOT);
        out.printf("%-8s %s: %s%n", severity, found.subject(), found.finding());
        if (!found.remedy().isEmpty()) {
            out.printf("%-8s %s%n", "", found.remedy());
        }
        out.flush();
    }
}
