package io.millrace.gateway.app.command;

import io.millrace.config.binding.LoadedSettings;
import io.millrace.config.problem.SettingsException;
import io.millrace.gateway.app.Gateway;
import io.millrace.gateway.app.firstrun.FirstRun;
import io.millrace.gateway.app.reload.HangupSignal;
import io.millrace.gateway.app.settings.MachineChecks;
import io.millrace.gateway.app.settings.MillraceSettings;
import io.millrace.gateway.app.settings.SettingsLoader;
import io.millrace.gateway.app.settings.SettingsSource;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
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
    @Option(names = "--config", paramLabel = "FILE", description = "The settings file (docs/configuration.md).")
    private @Nullable Path file;

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec spec;

    @Override
    public Integer call() throws SettingsException, InterruptedException {
        MachineChecks checks = MachineChecks.inThisProcess();
        Optional<FirstRun> firstRun =
                file == null ? Optional.of(FirstRun.prepare(System.getenv(), checks)) : Optional.empty();
        LoadedSettings<MillraceSettings> loaded =
                file == null ? firstRun.orElseThrow().settings() : SettingsLoader.ofFile(file, checks);
        Optional<SettingsSource> source =
                Optional.ofNullable(file).map(path -> () -> SettingsLoader.ofFile(path, checks));
        CompletableFuture<Gateway> started = new CompletableFuture<>();
        if (source.isPresent()) {
            // From the beginning, because a SIGHUP without a handler would end the start.
            HangupSignal.handle(() -> {
                CompletableFuture<Void> unused = started.thenAccept(Gateway::reload);
            });
        }
        Gateway gateway = Gateway.start(loaded, source);
        started.complete(gateway);
        firstRun.ifPresent(
                run -> spec.commandLine().getOut().println(run.invitation(gateway.s3Port(), gateway.consoleUrl())));
        spec.commandLine().getOut().flush();
        gateway.awaitStop();
        return 0;
    }
}
