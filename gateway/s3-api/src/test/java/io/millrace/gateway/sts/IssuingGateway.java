package io.millrace.gateway.sts;

import io.millrace.auth.session.RevocationLog;
import io.millrace.auth.session.RevocationTarget;
import io.millrace.auth.session.SessionKeyFile;
import io.millrace.auth.session.StsSettings;
import io.millrace.backend.file.FileBackendProvider;
import io.millrace.backend.file.FileBackendSettings;
import io.millrace.backend.spi.Backend;
import io.millrace.config.SettingsVariantRegistry;
import io.millrace.config.binding.SettingsReader;
import io.millrace.gateway.objects.bucket.BucketViews;
import io.millrace.gateway.objects.bucket.FreshnessSettings;
import io.millrace.gateway.s3.observe.RequestRecord;
import io.millrace.gateway.testkit.TestGateway;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;

/**
 * Gateway that issues temporary credentials. It has an identity {@code admin}, and the folder {@code objects/data} as
 * its bucket {@code data}.
 */
final class IssuingGateway implements AutoCloseable {
    private final Backend backend;
    private final TestGateway gateway;
    private final SessionKeyFile keys;
    private final RevocationLog revocations;

    private IssuingGateway(Backend backend, TestGateway gateway, SessionKeyFile keys, RevocationLog revocations) {
        this.backend = backend;
        this.gateway = gateway;
        this.keys = keys;
        this.revocations = revocations;
    }

    /**
     * Starts a gateway.
     *
     * @param with what else it has
     * @param folder of its objects, keys and revocations
     * @param sts the settings of that section, in YAML
     */
    static IssuingGateway start(TestGateway.Builder with, Path folder, String sts) throws Exception {
        Path objects = folder.resolve("objects");
        Files.createDirectories(objects.resolve("data"));
        StsSettings settings = new SettingsReader(
                        SettingsVariantRegistry.builder().build(), Map.of())
                .readText(sts, folder, StsSettings.class)
                .settings();
        SessionKeyFile keys = SessionKeyFile.in(folder, Optional.empty(), InstantSource.system());
        RevocationLog revocations = RevocationLog.open(folder, InstantSource.system());
        Backend backend = new FileBackendProvider().create("local", new FileBackendSettings(objects));
        TestGateway gateway = with.freshness(BucketViews.freshness(
                        FreshnessSettings.Mode.IMMUTABLE, Duration.ofMinutes(1), Duration.ZERO, Duration.ZERO))
                .bucket("data", backend)
                .identity("admin", "ADMIN01", "ADMIN01-secret", "*")
                .sts(settings, keys, revocations.inForce())
                .start();
        return new IssuingGateway(backend, gateway, keys, revocations);
    }

    int port() {
        return gateway.port();
    }

    int connections() {
        return gateway.connections();
    }

    StsClients clients() {
        return StsClients.at(gateway.port());
    }

    /** Ends credentials, as an operator does. */
    void revoke(RevocationTarget target, String name) {
        revocations.revoke(target, name, Optional.empty()).block();
    }

    /** Returns the number of requests that the fast path served, and that have ended. */
    long fastHits() {
        return gateway.requests().stream().filter(RequestRecord::fastPath).count();
    }

    @Override
    public void close() throws Exception {
        gateway.close();
        backend.close().block();
        revocations.close();
        keys.close();
    }
}
