package io.millrace.gateway.app.command;

import io.millrace.auth.policy.AccessScope;
import io.millrace.auth.policy.Authorizer;
import io.millrace.auth.policy.PolicyAction;
import io.millrace.auth.policy.Principal;
import io.millrace.backend.file.FileBackendSettings;
import io.millrace.backend.spi.Backend;
import io.millrace.cache.settings.CacheSettings.DiskSettings;
import io.millrace.config.SettingsVariant;
import io.millrace.config.binding.LoadedSettings;
import io.millrace.gateway.app.BackendProbe;
import io.millrace.gateway.app.BackendProbe.Fault;
import io.millrace.gateway.app.BackendProbe.ProbeResult;
import io.millrace.gateway.app.BackendTypeRegistry;
import io.millrace.gateway.app.ControlPlaneSettings;
import io.millrace.gateway.app.LocalUrl;
import io.millrace.gateway.app.MachineChecks;
import io.millrace.gateway.app.MillraceSettings;
import io.millrace.gateway.app.OpenBackends;
import io.millrace.gateway.cli.ControlPortProbe;
import io.millrace.gateway.objects.bucket.BucketRegistry;
import io.millrace.gateway.objects.bucket.ClientBucketNames;
import io.millrace.kit.ClientCertificate;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * Examines the settings, the machine and the backends of a gateway that runs, or is to be started, with these settings.
 */
final class Doctor {
    private final LoadedSettings<MillraceSettings> loaded;
    private final MillraceSettings settings;
    private final MachineChecks checks;
    private final Optional<ClientCertificate> own;

    /** @param own what is presented to a running gateway whose control port asks for a certificate */
    Doctor(LoadedSettings<MillraceSettings> loaded, MachineChecks checks, Optional<ClientCertificate> own) {
        this.loaded = loaded;
        this.settings = loaded.settings();
        this.checks = checks;
        this.own = own;
    }

    /** Runs all checks, one after another. Blocks, up to a minute if backends do not respond. */
    void examine(Consumer<Diagnosis> report) {
        SettingsDiagnosis.of(loaded, checks).forEach(report);
        examineFolders(report);
        examinePorts(report);
        examineCluster(report);
        ClientBucketNames names = new ClientBucketNames(settings.buckets());
        examineFileBackends(names, report);
        examineClock(examineBackends(names, report), report);
    }

    private void examineFolders(Consumer<Diagnosis> report) {
        report.accept(FolderCheck.run("data", settings.data()));
        settings.cache()
                .metadata()
                .path()
                .map(path -> FolderCheck.run("cache.metadata.path", path))
                .ifPresent(report);
        List<Path> disks =
                settings.cache().disks().stream().map(DiskSettings::path).toList();
        for (int i = 0; i < disks.size(); i++) {
            report.accept(FolderCheck.run("cache.disks[" + i + "]", disks.get(i)));
        }
        if (disks.isEmpty()) {
            report.accept(Diagnosis.warning(
                    "cache.disks",
                    "there are none, so every read comes from its backend",
                    "name a folder on a local disk"));
        }
    }

    private void examinePorts(Consumer<Diagnosis> report) {
        ControlPlaneSettings admin = settings.admin();
        PortCheck ports = new PortCheck(
                settings.data(),
                new ControlPortProbe(
                        URI.create(LocalUrl.of(admin.tls().isPresent(), admin.address(), admin.port())), own));
        report.accept(
                ports.run("s3.port", settings.s3().address(), settings.s3().port()));
        settings.s3()
                .plainPort()
                .map(port -> ports.run("s3.plain-port", settings.s3().address(), port))
                .ifPresent(report);
        report.accept(ports.run("admin.port", admin.address(), admin.port()));
        settings.hub()
                .map(hub -> ports.run("hub.port", hub.address(), hub.port()))
                .ifPresent(report);
        settings.clusterPort()
                .map(listen -> ports.run("cluster.listen", listen.getHostString(), listen.getPort()))
                .ifPresent(report);
    }

    private void examineCluster(Consumer<Diagnosis> report) {
        settings.otherMembers().forEach((name, listed) -> report.accept(MemberCheck.run(name, listed)));
    }

    /** Compares the clock with that of a backend; what is no server of its type may have any time. */
    private void examineClock(List<ProbeResult> backends, Consumer<Diagnosis> report) {
        Diagnosis found = backends.stream()
                .filter(ProbeResult::mayBeOfItsType)
                .map(ProbeResult::name)
                .flatMap(name -> BackendTypeRegistry.endpoint(settingsOf(name)).stream()
                        .flatMap(endpoint -> ClockCheck.run(name, endpoint).stream()))
                .findFirst()
                .orElseGet(() -> Diagnosis.ok("clock", "not compared: no backend gives its time"));
        report.accept(found);
    }

    private void examineFileBackends(ClientBucketNames names, Consumer<Diagnosis> report) {
        Authorizer authorizer = new Authorizer(BucketRegistry.policiesOf(settings.buckets()));
        List<Principal> principals = Stream.concat(
                        settings.identities().stream()
                                .map(one -> new Principal(one.name(), one.allow(), one.policies())),
                        settings.sts().roles().stream()
                                .map(one -> new Principal(one.name(), one.allow(), one.policies())))
                .toList();
        new TreeMap<>(settings.backends()).forEach((name, typed) -> {
            if (typed.settings() instanceof FileBackendSettings files) {
                new FileBackendCheck(
                                name,
                                files.path(),
                                names,
                                bucket -> principals.stream()
                                        .anyMatch(one -> authorizer
                                                .decide(one, PolicyAction.PUT_OBJECT, new AccessScope.Somewhere(bucket))
                                                .isAllowed()))
                        .run(report);
            }
        });
    }

    private List<ProbeResult> examineBackends(ClientBucketNames names, Consumer<Diagnosis> report) {
        Map<String, Backend> backends = BackendTypeRegistry.createRemote(settings.backends());
        try {
            List<ProbeResult> results = new BackendProbe(backends, names).run();
            results.stream()
                    .flatMap(result -> result.faults().stream())
                    .map(Doctor::diagnosis)
                    .forEach(report);
            results.stream()
                    .filter(ProbeResult::isUsable)
                    .forEach(result -> report.accept(Diagnosis.ok("backend " + result.name(), answer(result))));
            return results;
        } finally {
            new OpenBackends(backends).close();
        }
    }

    private static Diagnosis diagnosis(Fault fault) {
        return fault.mayBeMeant()
                ? Diagnosis.warning(fault.subject(), fault.text(), "")
                : Diagnosis.problem(fault.subject(), fault.text(), "");
    }

    /** Says that credentials are taken only of a backend that has any, and whose response to a list shows it. */
    private String answer(ProbeResult result) {
        if (!result.leftOpen().isEmpty()) {
            return "answers; " + result.leftOpen();
        }
        if (!BackendTypeRegistry.hasCredentials(settingsOf(result.name()))) {
            return "answers";
        }
        return result.lists()
                ? "answers, and takes the credentials"
                : "answers; whether it takes the credentials shows with a bucket that can be listed";
    }

    private SettingsVariant settingsOf(String backend) {
        return Objects.requireNonNull(settings.backends().get(backend));
    }
}
