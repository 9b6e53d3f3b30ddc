package io.millrace.gateway.read;

import io.millrace.backend.http.BackendTlsSettings;
import io.millrace.backend.http.ConnectionSettings;
import io.millrace.backend.millrace.MillraceBackendProvider;
import io.millrace.backend.millrace.MillraceBackendSettings;
import io.millrace.backend.spi.Backend;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.config.Secret;
import io.millrace.gateway.testkit.TestGateway;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;

/** Another gateway over a new folder below that of the environment, into which files are put by hand. */
record TierOriginFixture(FolderOriginFixture files, TestGateway gateway, Backend backend) implements OriginFixture {
    private static final Duration SOON = Duration.ofSeconds(20);

    static TierOriginFixture below(Path folder) throws IOException {
        // Classes run at once in processes of their own, and a start recovers what it finds half written.
        FolderOriginFixture files = FolderOriginFixture.at(Files.createTempDirectory(folder, "origin"));
        TestGateway gateway = TestGateway.builder().bucket("*", files.backend()).start();
        Backend backend = new MillraceBackendProvider()
                .create(
                        "test",
                        new MillraceBackendSettings(
                                gateway.endpoint(),
                                TestGateway.ACCESS_KEY,
                                Secret.of(TestGateway.SECRET_KEY),
                                new ConnectionSettings(
                                        256, BackendTlsSettings.DEFAULTS, Optional.empty(), SOON, SOON, SOON)));
        return new TierOriginFixture(files, gateway, backend);
    }

    @Override
    public Set<Trait> traits() {
        return files.traits();
    }

    @Override
    public boolean canHold(String key) {
        return files.canHold(key) && key.indexOf('\0') < 0;
    }

    @Override
    public void createBucket(String bucket) throws IOException {
        files.createBucket(bucket);
    }

    @Override
    public void put(String bucket, String key, byte[] bytes, HeaderList headers) throws IOException {
        files.put(bucket, key, bytes, headers);
    }

    @Override
    public void close() {
        backend.close().block();
        gateway.close();
        files.close();
    }
}
