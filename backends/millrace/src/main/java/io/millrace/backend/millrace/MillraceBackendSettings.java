package io.millrace.backend.millrace;

import io.millrace.backend.http.outbound.BackendTlsSettings;
import io.millrace.backend.http.outbound.OutboundSettings;
import io.millrace.backend.http.outbound.ProxySettings;
import io.millrace.backend.s3.settings.S3BackendSettings;
import io.millrace.config.Secret;
import io.millrace.config.SettingDescription;
import io.millrace.config.problem.ProblemReporter;
import io.millrace.config.problem.SelfValidatingSettings;
import java.net.URI;
import java.time.Duration;
import java.util.Optional;

/** The settings of a backend that is another Millrace: its endpoint, an identity there, connections and timeouts. */
public record MillraceBackendSettings(
        @SettingDescription(
                value = "URL of the other Millrace's S3 port: http or https, a host and a port.",
                example = "http://10.0.0.7:9080")
        URI endpoint,

        @SettingDescription(value = "The access key of an identity of the other Millrace.", example = "TIER")
        String accessKey,

        @SettingDescription("The secret of access-key.") Secret secretKey,

        @SettingDescription(
                value =
                        "Maximum connections. A reader that bypasses the cache holds one while it reads. If all are in use,"
                                + " requests wait and fail after a timeout.",
                defaultValue = "4096")
        int maxConnections,

        @SettingDescription(OutboundSettings.TLS) BackendTlsSettings tls,

        @SettingDescription(OutboundSettings.PROXY) Optional<ProxySettings> proxy,

        @SettingDescription(value = OutboundSettings.CONNECT, defaultValue = "5s")
        Duration connectTimeout,

        @SettingDescription(
                value = "How long to wait for the response headers, in which the other Millrace asks its own backend.",
                defaultValue = "30s")
        Duration firstByteTimeout,

        @SettingDescription(
                value = "How long the other Millrace may send nothing in the middle of a response while a reader waits."
                        + " Slow readers are not cut off.",
                defaultValue = "60s")
        Duration idleTimeout)
        implements SelfValidatingSettings {
    /** Any region that is signed is accepted. */
    private static final String REGION = "us-east-1";

    @Override
    public void check(ProblemReporter problems) {
        toS3().check(problems);
    }

    /** Returns the settings of a backend that is an S3 server. */
    S3BackendSettings toS3() {
        return new S3BackendSettings(
                Optional.of(endpoint),
                REGION,
                Optional.of(true),
                Optional.of(accessKey),
                Optional.of(secretKey),
                Optional.empty(),
                false,
                maxConnections,
                tls,
                proxy,
                connectTimeout,
                firstByteTimeout,
                idleTimeout,
                Optional.empty(),
                false);
    }
}
