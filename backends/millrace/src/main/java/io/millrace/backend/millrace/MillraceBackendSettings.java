package io.millrace.backend.millrace;

import io.millrace.backend.http.ConnectionSettings;
import io.millrace.backend.s3.S3BackendSettings;
import io.millrace.config.FlatSettings;
import io.millrace.config.Secret;
import io.millrace.config.SettingDescription;
import io.millrace.config.problem.ProblemReporter;
import io.millrace.config.problem.SelfValidatingSettings;
import java.net.URI;
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

        @FlatSettings ConnectionSettings connections)
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
                connections,
                Optional.empty(),
                false);
    }
}
