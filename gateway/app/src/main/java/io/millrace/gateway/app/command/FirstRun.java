package io.millrace.gateway.app.command;

import io.millrace.auth.signature.RequestSigner;
import io.millrace.config.binding.LoadedSettings;
import io.millrace.config.problem.SettingsException;
import io.millrace.gateway.app.DataFolder;
import io.millrace.gateway.app.LocalUrl;
import io.millrace.gateway.app.MachineChecks;
import io.millrace.gateway.app.MillraceSettings;
import io.millrace.gateway.app.SettingsLoader;
import io.millrace.gateway.app.StartException;
import io.millrace.gateway.s3.server.S3Settings;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sets up a start without a settings file: a folder as backend, one generated identity and a sample bucket. The first
 * start creates the identity, which is kept, and fills the bucket once.
 */
record FirstRun(GeneratedKeys keys, LoadedSettings<MillraceSettings> settings) {
    private static final Logger log = LoggerFactory.getLogger(FirstRun.class);

    /** Variable that passes the generated secret to the settings, which read it like any other environment variable. */
    private static final String SECRET_VARIABLE = "MILLRACE_GENERATED_SECRET";

    /** Small enough for a laptop; disk space is used only as the cache fills. */
    private static final String CACHE_SIZE = "10GiB";

    private static final Duration INVITATION_LASTS = Duration.ofDays(7);

    /**
     * Creates or finds the keys and the sample bucket below {@code MILLRACE_DATA}, or {@code ./data}.
     *
     * @throws StartException if the folder is another gateway's, or cannot be written
     */
    static FirstRun prepare(Map<String, String> environment, MachineChecks checks) throws SettingsException {
        Path data = Path.of(environment.getOrDefault("MILLRACE_DATA", "data"));
        GeneratedKeys keys = keys(data);
        Map<String, String> withSecret = new HashMap<>(environment);
        withSecret.put(SECRET_VARIABLE, keys.secretKey().reveal());
        return new FirstRun(keys, SettingsLoader.ofText(yaml(data, keys), withSecret, checks));
    }

    private static GeneratedKeys keys(Path data) {
        try (DataFolder unused = DataFolder.open(data)) {
            GeneratedKeys keys = GeneratedKeys.in(data);
            SampleBucket.seedOnce(data);
            return keys;
        }
    }

    /**
     * Returns the message shown after the start: endpoint, console, keys, files, and a {@code curl} line to try.
     *
     * @param certificate the endpoint's own certificate, if clients must be told to trust it
     */
    String invitation(int port, String console, Optional<Path> certificate) {
        S3Settings s3 = settings.settings().s3();
        String endpoint = LocalUrl.of(s3.tls().isPresent(), s3.address(), port);
        URI sample = URI.create(endpoint + "/" + SampleBucket.NAME + "/" + SampleBucket.SAMPLE);
        URI link = new RequestSigner(keys.accessKey(), keys.secretKey(), "us-east-1")
                .presign(sample, "GET", INVITATION_LASTS, Instant.now());
        return """

                Millrace serves S3 at %s
                  console     %s   (sign in with your keys)
                  your keys   %s   (aws-cli: AWS_SHARED_CREDENTIALS_FILE)
                  your files  %s   (each folder is a bucket)
                Try it:
                  curl -i %s'%s'
                """.formatted(
                        endpoint,
                        console,
                        keys.file(),
                        SampleBucket.folder(settings.settings().data()),
                        certificate.map("--cacert '%s' "::formatted).orElse(""),
                        link);
    }

    /** Logs what the invitation says that the log lacks, without a signed URL, which is no line of a log. */
    void log() {
        log.info(
                "The keys that Millrace made are in {}, which aws-cli reads as AWS_SHARED_CREDENTIALS_FILE; each folder"
                        + " in {} is a bucket",
                keys.file(),
                SampleBucket.folder(settings.settings().data()));
    }

    private static String yaml(Path data, GeneratedKeys keys) {
        return """
                data: %s
                cache:
                  disks:
                    - { path: %s, size: %s }
                backends:
                  local: { type: file, path: %s }
                buckets:
                  - { name: "*", backend: local }
                identities:
                  - { name: admin, access-key: "%s", secret-key: "${%s}", allow: "*" }
                """.formatted(
                        quoted(data),
                        quoted(data.resolve("cache")),
                        CACHE_SIZE,
                        quoted(SampleBucket.folder(data)),
                        keys.accessKey(),
                        SECRET_VARIABLE);
    }

    private static String quoted(Path path) {
        return "'" + path.toAbsolutePath().toString().replace("'", "''").replace("${", "$${") + "'";
    }
}
