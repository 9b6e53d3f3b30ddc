package io.millrace.backend.gcs;

import io.millrace.backend.http.TokenEndpointClient;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/**
 * Finds the source of access tokens: the file of the settings, or the application default credentials. Blocks on the
 * disk.
 *
 * @param environment the environment variables of the process
 * @param home the home folder of its user
 * @see <a href="https://cloud.google.com/docs/authentication/application-default-credentials">Application default
 *     credentials</a>
 */
record CredentialsFinder(Map<String, String> environment, Path home) {
    private static final String DEFAULT_FILE = "application_default_credentials.json";

    static CredentialsFinder ofProcess() {
        return new CredentialsFinder(System.getenv(), Path.of(System.getProperty("user.home", "/")));
    }

    /**
     * Returns the source.
     *
     * @throws IllegalArgumentException if a file cannot be used; the message says what to do
     */
    GoogleTokenSource find(Optional<Path> configured, TokenEndpointClient endpoints) {
        Optional<Path> file = configured
                .or(() -> variable("GOOGLE_APPLICATION_CREDENTIALS").map(Path::of))
                .or(() -> Optional.of(gcloudFolder().resolve(DEFAULT_FILE)).filter(Files::exists));
        return file.map(path -> source(GoogleCredentialsFile.read(path), endpoints))
                .orElseGet(() -> new MetadataServerTokenSource(
                        variable("GCE_METADATA_HOST").orElse("metadata.google.internal"), endpoints));
    }

    private static GoogleTokenSource source(GoogleCredentialsFile document, TokenEndpointClient endpoints) {
        String type = document.required("type");
        return switch (type) {
            case "service_account" -> new ServiceAccountTokenSource(document, endpoints);
            case "authorized_user" -> new GcloudUserTokenSource(document, endpoints);
            case "external_account" ->
                impersonating(document, new FederatedTokenSource(document, endpoints), endpoints, false);
            case "impersonated_service_account" ->
                impersonating(document, source(document.nested("source_credentials"), endpoints), endpoints, true);
            default ->
                throw new IllegalArgumentException(
                        "%s: credentials of type %s are not supported; take service_account, authorized_user,"
                                        .formatted(document.origin(), type)
                                + " external_account or impersonated_service_account");
        };
    }

    private static GoogleTokenSource impersonating(
            GoogleCredentialsFile document, GoogleTokenSource identity, TokenEndpointClient endpoints, boolean always) {
        if (!always && document.optional(ImpersonatedTokenSource.URL_FIELD).isEmpty()) {
            return identity;
        }
        document.required(ImpersonatedTokenSource.URL_FIELD);
        URI endpoint = document.endpoint(ImpersonatedTokenSource.URL_FIELD, "");
        return new ImpersonatedTokenSource(identity, endpoint, endpoints);
    }

    private Path gcloudFolder() {
        return variable("CLOUDSDK_CONFIG")
                .map(Path::of)
                .orElse(home.resolve(".config").resolve("gcloud"));
    }

    private Optional<String> variable(String name) {
        return Optional.ofNullable(environment.get(name)).filter(value -> !value.isEmpty());
    }
}
