package io.millrace.backend.s3;

import io.millrace.backend.http.BackendTlsSettings;
import io.millrace.backend.http.ConnectionSettings;
import io.millrace.backend.resilience.ResilienceSettings;
import io.millrace.backend.resilience.ResilientBackend;
import io.millrace.backend.spi.Backend;
import io.millrace.config.Secret;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** A server to test against. The settings are those of the settings file. */
record TestS3Server(
        URI endpoint,
        String accessKey,
        String secretKey,
        String region,
        Optional<List<ConditionalOperation>> conditionalWrites,
        boolean requesterPays) {
    /** Longer than a server takes on a busy machine. */
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    /** A server without the setting conditional-writes. */
    TestS3Server(URI endpoint, String accessKey, String secretKey, String region) {
        this(endpoint, accessKey, secretKey, region, Optional.empty(), false);
    }

    static TestS3Server at(URI endpoint) {
        return new TestS3Server(endpoint, "test-key", "test-secret", "us-east-1")
                .honouring(ConditionalOperation.values());
    }

    TestS3Server withSecret(String secret) {
        return new TestS3Server(endpoint, accessKey, secret, region, conditionalWrites, requesterPays);
    }

    /** Returns a copy whose setting conditional-writes lists these operations. */
    TestS3Server honouring(ConditionalOperation... writes) {
        return new TestS3Server(endpoint, accessKey, secretKey, region, Optional.of(List.of(writes)), requesterPays);
    }

    /** Returns a copy with this setting requester-pays. */
    TestS3Server payingFor(boolean requests) {
        return new TestS3Server(endpoint, accessKey, secretKey, region, conditionalWrites, requests);
    }

    Backend backend() {
        return resilient("test", settings());
    }

    /** Creates a backend that retries as the gateway's do, with the first-byte timeout as its deadline. */
    static Backend resilient(String name, S3BackendSettings settings) {
        Duration deadline =
                settings.connections().firstByteTimeout().multipliedBy(3).dividedBy(2);
        return new ResilientBackend(
                name,
                new S3BackendProvider().create(name, settings),
                new ResilienceSettings(deadline, 3, 1024, Optional.empty(), Optional.empty(), Optional.empty()));
    }

    S3BackendSettings settings() {
        return settings(256, PATIENCE, PATIENCE);
    }

    S3BackendSettings settings(int maxConnections, Duration firstByte, Duration idle) {
        return new S3BackendSettings(
                Optional.of(endpoint),
                region,
                Optional.empty(),
                Optional.of(accessKey),
                Optional.of(Secret.of(secretKey)),
                Optional.empty(),
                false,
                new ConnectionSettings(
                        maxConnections,
                        BackendTlsSettings.DEFAULTS,
                        Optional.empty(),
                        Duration.ofSeconds(2),
                        firstByte,
                        idle),
                conditionalWrites,
                requesterPays);
    }
}
