package io.millrace.backend.gcs;

import io.millrace.backend.http.ConnectionSettings;
import io.millrace.config.FlatSettings;
import io.millrace.config.SettingDescription;
import io.millrace.config.problem.ProblemReporter;
import io.millrace.config.problem.SelfValidatingSettings;
import java.net.URI;
import java.nio.file.Path;
import java.util.Optional;

/** The settings of a Google Cloud Storage backend: project, credentials, endpoint, connections and timeouts. */
public record GcsBackendSettings(
        @SettingDescription(
                value = "The project whose buckets are listed, and in which buckets are created. Without it, the"
                        + " project of the service account's file, or of the machine at Google.",
                example = "my-project")
        Optional<String> project,

        @SettingDescription(
                value = "A JSON file with credentials: the key of a service account, a user's refresh token, or"
                        + " workload identity federation with a token file. Without it, the application default"
                        + " credentials: GOOGLE_APPLICATION_CREDENTIALS, gcloud's"
                        + " application_default_credentials.json, the metadata server.",
                example = "/etc/millrace/service-account.json")
        Optional<Path> credentialsFile,

        @SettingDescription(
                value = "Send requests without credentials, for public buckets and emulators. Not together with"
                        + " credentials-file.",
                defaultValue = "false")
        boolean anonymous,

        @SettingDescription(
                value = "URL of the server: http or https, a host and optionally a port. For an emulator, or another"
                        + " way to Google such as private.googleapis.com.",
                defaultValue = "https://storage.googleapis.com")
        URI endpoint,

        @SettingDescription(
                value = "The location of buckets that are created. Without it, the server's default: US.",
                example = "europe-west1")
        Optional<String> location,

        @SettingDescription(
                value = "The project that is billed for requests, for buckets whose requesters pay.",
                example = "my-project")
        Optional<String> userProject,

        @FlatSettings ConnectionSettings connections)
        implements SelfValidatingSettings {
    @Override
    public void check(ProblemReporter problems) {
        GcsSettingsValidator.validate(this, problems);
    }
}
