package io.millrace.backend.s3;

import io.millrace.backend.spi.Backend;
import io.millrace.config.Secret;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** A server to test against. The settings are those of the operator's file, with short times. */
record S3Server(
        URI endpoint,
        String accessKey,
        String secretKey,
        String region,
        Optional<List<ConditionalWrite>> conditionalWrites) {
    /** One of which the operator says nothing: Millrace must know it. */
    S3Server(URI endpoint, String accessKey, String secretKey, String region) {
        this(endpoint, accessKey, secretKey, region, Optional.empty());
    }

    static S3Server at(URI endpoint) {
        return new S3Server(endpoint, "test-key", "test-secret", "us-east-1").honouring(ConditionalWrite.values());
    }

    S3Server withSecret(String secret) {
        return new S3Server(endpoint, accessKey, secret, region, conditionalWrites);
    }

    /** The same as an operator describes it. */
    S3Server honouring(ConditionalWrite... writes) {
        return new S3Server(endpoint, accessKey, secretKey, region, Optional.of(List.of(writes)));
    }

    Backend backend() {
        return new S3BackendProvider().create("test", settings());
    }

    S3BackendSettings settings() {
        return settings(256, Duration.ofSeconds(10), Duration.ofSeconds(10));
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
                maxConnections,
                Duration.ofSeconds(2),
                firstByte,
                idle,
                conditionalWrites);
    }
}
