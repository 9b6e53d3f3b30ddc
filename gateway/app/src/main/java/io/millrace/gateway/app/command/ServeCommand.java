package io.millrace.gateway.app.command;

import io.millrace.config.binding.LoadedSettings;
import io.millrace.config.problem.SettingsException;
import io.millrace.gateway.app.DataFolder;
import io.millrace.gateway.app.Gateway;
import io.millrace.gateway.app.LogSettings;
import io.millrace.gateway.app.MachineChecks;
import io.millrace.gateway.app.MillraceSettings;
import io.millrace.gateway.app.SettingsLoader;
import io.millrace.gateway.app.SettingsSource;
import io.millrace.gateway.app.StartException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Command that runs the gateway until it is stopped. */
@Command(
        name = "serve",
        description = {
            "Serve S3 until stopped.",
            "Without a file: objects from ./data/objects, one identity made at the first start, a bucket to try."
        })
final class ServeCommand implements Callable<Integer> {
    /** The exit code of a process that is to be started again; a fault inside the program, in sysexits.h. */
    private static final int CANNOT_SERVE = 70;

    @Mixin
    private final SettingsFileArgument argument = new SettingsFileArgument();

    @Option(
            names = "--self-signed",
            description = {
                "Serve TLS on ports whose settings have none, with a certificate that is made once,",
                "kept in the data folder and signed by itself."
            })
    private boolean selfSigned;

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec spec;

    @Override
    public Integer call() throws Exception {
        Optional<Path> file = argument.find(spec.commandLine());
        MachineChecks checks = MachineChecks.inThisProcess();
        try {
            return file.isPresent() ? serve(file.get(), checks) : serve(checks);
        } catch (SettingsException | StartException refused) {
            printError(StartFailureReport.of(file, System.getenv()).text(refused));
        } catch (RuntimeException fault) {
            printError(
                    StartFailureReport.of(file, System.getenv()).ofFault(fault).orElseThrow(() -> fault));
        }
        return 1;
    }

    private int serve(MachineChecks checks) throws SettingsException, InterruptedException {
        FirstRun plain = FirstRun.prepare(System.getenv(), checks);
        Optional<SelfSignedPorts> ports = madePorts(plain.settings());
        FirstRun run = ports.isPresent() ? FirstRun.prepare(ports.get().in(System.getenv()), checks) : plain;
        Gateway gateway = Gateway.start(run.settings(), Optional.empty());
        if (isTextual(run.settings())) {
            print(run.invitation(
                    gateway.s3Port(), gateway.consoleUrl(), ports.flatMap(SelfSignedPorts::s3Certificate)));
        } else {
            run.log();
        }
        explain(ports, run.settings(), gateway);
        return awaitStop(gateway);
    }

    private int serve(Path path, MachineChecks checks) throws SettingsException, InterruptedException {
        SettingsSource source = () -> load(path, checks);
        CompletableFuture<Gateway> started = new CompletableFuture<>();
        // From the beginning, because a SIGHUP without a handler would end the start.
        HangupSignal hangup = HangupSignal.handle(() -> {
            CompletableFuture<Void> unused = started.thenAccept(Gateway::reload);
        });
        LoadedSettings<MillraceSettings> plain = SettingsLoader.ofFile(path, checks);
        Optional<SelfSignedPorts> ports = madePorts(plain);
        LoadedSettings<MillraceSettings> loaded = ports.isPresent() ? load(path, checks) : plain;
        Gateway gateway = Gateway.start(loaded, Optional.of(source));
        started.complete(gateway);
        hangup.report();
        explain(ports, loaded, gateway);
        return awaitStop(gateway);
    }

    /** Ends the process at once, as an exhausted heap does, if the gateway cannot serve any more. */
    private static int awaitStop(Gateway gateway) throws InterruptedException {
        Thread.setDefaultUncaughtExceptionHandler(gateway.uncaughtFailures());
        if (!gateway.awaitStop()) {
            Runtime.getRuntime().halt(CANNOT_SERVE);
        }
        return 0;
    }

    private LoadedSettings<MillraceSettings> load(Path path, MachineChecks checks) throws SettingsException {
        LoadedSettings<MillraceSettings> plain = SettingsLoader.ofFile(path, checks);
        Optional<SelfSignedPorts> ports = ports(plain);
        return ports.isPresent() ? SettingsLoader.ofFile(path, ports.get().in(System.getenv()), checks) : plain;
    }

    /** Makes the certificate if there is none, in a data folder that no other gateway uses. */
    private Optional<SelfSignedPorts> madePorts(LoadedSettings<MillraceSettings> plain) {
        if (!selfSigned) {
            return Optional.empty();
        }
        try (DataFolder unused = DataFolder.open(plain.settings().data())) {
            return ports(plain);
        }
    }

    private Optional<SelfSignedPorts> ports(LoadedSettings<MillraceSettings> plain) {
        return selfSigned ? Optional.of(SelfSignedPorts.of(plain.settings())) : Optional.empty();
    }

    private void explain(Optional<SelfSignedPorts> ports, LoadedSettings<MillraceSettings> loaded, Gateway gateway) {
        if (isTextual(loaded)) {
            ports.ifPresent(own -> print(own.explanation(loaded.settings(), gateway.s3Port(), gateway.consoleUrl())));
        } else {
            ports.ifPresent(SelfSignedPorts::log);
        }
    }

    /** Returns whether people read the log: what else is printed must not stand among objects of JSON. */
    private static boolean isTextual(LoadedSettings<MillraceSettings> loaded) {
        return loaded.settings().log().format() == LogSettings.Format.TEXT;
    }

    private void print(String message) {
        spec.commandLine().getOut().println(message);
        spec.commandLine().getOut().flush();
    }

    private void printError(String message) {
        spec.commandLine().getErr().println(message);
        spec.commandLine().getErr().flush();
    }
}
