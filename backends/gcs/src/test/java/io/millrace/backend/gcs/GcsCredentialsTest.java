package io.millrace.backend.gcs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.millrace.backend.http.AccessToken;
import io.millrace.backend.http.BackendTlsSettings;
import io.millrace.backend.http.ConnectionSettings;
import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.testkit.ReservedPort;
import io.millrace.backend.testkit.server.PlannedResponse;
import io.millrace.backend.testkit.server.RecordedRequest;
import io.millrace.backend.testkit.server.RecordingServer;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.Signature;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** Each source of credentials brings a token, by the request that Google documents, and no failure shows a secret. */
class GcsCredentialsTest {
    private static final Instant NOW = Instant.parse("2026-11-24T10:00:00Z");

    @TempDir
    Path folder;

    private final Map<String, String> environment = new HashMap<>();
    private final RecordingServer endpoint = new RecordingServer(this::respond);
    private volatile int status = 200;
    private volatile String response = "{\"access_token\":\"token-1\",\"expires_in\":3599,\"token_type\":\"Bearer\"}";

    @AfterEach
    void close() {
        endpoint.close();
    }

    @Test
    void serviceAccountSignsAnAssertion() throws GeneralSecurityException, IOException {
        KeyPair pair = keyPair();
        GcsCredentials credentials = credentials(Optional.of(serviceAccount(pair)));

        AccessToken token = token(credentials);

        assertThat(token).isEqualTo(new AccessToken("token-1", NOW.plusSeconds(3599)));
        Map<String, String> form = endpoint.requests().get(0).form();
        assertThat(form).containsEntry("grant_type", "urn:ietf:params:oauth:grant-type:jwt-bearer");
        String[] assertion = Objects.requireNonNull(form.get("assertion")).split("\\.", -1);
        Signature signature = Signature.getInstance("SHA256withRSA");
        signature.initVerify(pair.getPublic());
        signature.update((assertion[0] + "." + assertion[1]).getBytes(StandardCharsets.US_ASCII));
        assertThat(signature.verify(Base64.getUrlDecoder().decode(assertion[2])))
                .isTrue();
        JsonNode header = json(assertion[0]);
        assertThat(header.path("alg").asString()).isEqualTo("RS256");
        assertThat(header.path("kid").asString()).isEqualTo("key-1");
        JsonNode claims = json(assertion[1]);
        assertThat(claims.path("iss").asString()).isEqualTo("millrace@p.iam.gserviceaccount.com");
        assertThat(claims.path("aud").asString()).isEqualTo(url("/token").toString());
        assertThat(claims.path("iat").asLong()).isEqualTo(NOW.getEpochSecond());
        assertThat(claims.path("exp").asLong()).isEqualTo(NOW.getEpochSecond() + 3600);
        assertThat(claims.path("scope").asString()).endsWith("devstorage.read_write");
        assertThat(credentials.project().block()).contains("file-project");
    }

    @Test
    void loginOfAUserIsRefreshed() throws IOException {
        ObjectNode login = JsonMapper.shared()
                .createObjectNode()
                .put("type", "authorized_user")
                .put("client_id", "id")
                .put("client_secret", "hidden")
                .put("refresh_token", "1//refresh")
                .put("token_uri", url("/token").toString());
        Path config = Files.createDirectories(folder.resolve("home/.config/gcloud"));
        Files.writeString(config.resolve("application_default_credentials.json"), login.toString());

        assertThat(token(credentials(Optional.empty())).value()).isEqualTo("token-1");

        assertThat(endpoint.requests().get(0).form())
                .isEqualTo(Map.of(
                        "grant_type", "refresh_token",
                        "client_id", "id",
                        "client_secret", "hidden",
                        "refresh_token", "1//refresh"));
    }

    @Test
    void exchangesTheFederatedTokenOfItsFile() throws IOException {
        Path subject = Files.writeString(folder.resolve("token.json"), "{\"id_token\":\"subject-1\"}");
        environment.put(
                "GOOGLE_APPLICATION_CREDENTIALS",
                federated(subject, Optional.empty()).toString());
        GcsCredentials credentials = credentials(Optional.empty());

        AccessToken first = token(credentials);
        Files.writeString(subject, "{\"id_token\":\"subject-2\"}");
        credentials.invalidate(first);
        token(credentials);

        assertThat(endpoint.requests())
                .extracting(request -> request.form().get("subject_token"))
                .containsExactly("subject-1", "subject-2");
        assertThat(endpoint.requests().get(0).form())
                .containsEntry("grant_type", "urn:ietf:params:oauth:grant-type:token-exchange")
                .containsEntry("audience", "//iam.googleapis.com/pool")
                .containsEntry("subject_token_type", "urn:ietf:params:oauth:token-type:jwt");
    }

    @Test
    void federatedWorkloadMayImpersonateAServiceAccount() throws IOException {
        Path subject = Files.writeString(folder.resolve("token.json"), "{\"id_token\":\"subject\"}");
        URI impersonation = url("/v1/projects/-/serviceAccounts/sa:generateAccessToken");

        AccessToken token = token(credentials(Optional.of(federated(subject, Optional.of(impersonation)))));

        assertThat(token).isEqualTo(new AccessToken("impersonated", Instant.parse("2026-11-24T11:00:00Z")));
        assertThat(endpoint.requests().get(0).form().get("scope")).endsWith("cloud-platform");
        assertThat(endpoint.requests().get(1).headers()).containsEntry("authorization", "Bearer token-1");
        assertThat(endpoint.requests().get(1).text()).contains("devstorage.read_write");
    }

    @Test
    void requestsTokensFromTheMetadataServer() {
        environment.put("GCE_METADATA_HOST", endpoint.uri().getAuthority());
        GcsCredentials credentials = credentials(Optional.empty());

        assertThat(token(credentials).value()).isEqualTo("token-1");
        assertThat(credentials.project().block()).contains("machine-project");

        assertThat(endpoint.requests().get(0).target())
                .startsWith("/computeMetadata/v1/instance/service-accounts/default/token?scopes=");
        assertThat(endpoint.requests())
                .allMatch(request -> "Google".equals(request.headers().get("metadata-flavor")));
    }

    @Test
    void missingCredentialsErrorNamesTheRemedy() throws IOException {
        try (ReservedPort nobody = new ReservedPort()) {
            environment.put("GCE_METADATA_HOST", "127.0.0.1:" + nobody.number());

            BackendException failure = failure(credentials(Optional.empty()));

            assertThat(failure.kind()).isEqualTo(FailureKind.CREDENTIALS_REJECTED);
            assertThat(failure).hasMessageContaining("credentials-file");
        }
    }

    @Test
    void rejectedCredentialsShowTheReasonAndNoSecret() throws GeneralSecurityException, IOException {
        status = 400;
        response = "{\"error\":\"invalid_grant\",\"error_description\":\"Invalid JWT Signature.\"}";

        BackendException failure = failure(credentials(Optional.of(serviceAccount(keyPair()))));

        assertThat(failure.kind()).isEqualTo(FailureKind.CREDENTIALS_REJECTED);
        assertThat(failure)
                .hasMessageContaining("invalid_grant Invalid JWT Signature.")
                .hasMessageContaining("millrace@p.iam.gserviceaccount.com")
                .hasMessageNotContaining("eyJ");
    }

    @Test
    void failingTokenEndpointLeavesCredentialsUnavailable() throws GeneralSecurityException, IOException {
        status = 503;

        assertThat(failure(credentials(Optional.of(serviceAccount(keyPair())))).kind())
                .isEqualTo(FailureKind.CREDENTIALS_UNAVAILABLE);
    }

    @Test
    void refusesInvalidCredentialsFileWithoutItsContent() throws IOException {
        Path broken = Files.writeString(folder.resolve("broken.json"), "{\"private_key\": \"SECRET");
        Path unknown = Files.writeString(folder.resolve("unknown.json"), "{\"type\":\"strange\"}");
        Path keyless = Files.writeString(
                folder.resolve("keyless.json"),
                "{\"type\":\"service_account\",\"client_email\":\"a@b\",\"private_key\":\"SECRET\"}");

        for (Path file : List.of(broken, unknown, keyless, folder.resolve("missing.json"))) {
            assertThatThrownBy(() -> GcsCredentials.requireUsable(settings(Optional.of(file))))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining(file.toString())
                    .hasMessageNotContaining("SECRET");
        }
    }

    @Test
    void refusesUnencryptedTokenRequestsToOtherHosts() throws IOException {
        Path file = Files.writeString(
                folder.resolve("clear.json"),
                "{\"type\":\"authorized_user\",\"client_id\":\"a\",\"client_secret\":\"b\",\"refresh_token\":\"c\","
                        + "\"token_uri\":\"http://example.org/token\"}");

        assertThatThrownBy(() -> GcsCredentials.requireUsable(settings(Optional.of(file))))
                .hasMessageContaining("token_uri");
    }

    private Path serviceAccount(KeyPair pair) throws IOException {
        String pem = "-----BEGIN PRIVATE KEY-----\n"
                + Base64.getMimeEncoder().encodeToString(pair.getPrivate().getEncoded())
                + "\n-----END PRIVATE KEY-----\n";
        ObjectNode file = JsonMapper.shared()
                .createObjectNode()
                .put("type", "service_account")
                .put("project_id", "file-project")
                .put("private_key_id", "key-1")
                .put("private_key", pem)
                .put("client_email", "millrace@p.iam.gserviceaccount.com")
                .put("token_uri", url("/token").toString());
        return Files.writeString(folder.resolve("account.json"), file.toString());
    }

    private Path federated(Path subject, Optional<URI> impersonation) throws IOException {
        ObjectNode file = JsonMapper.shared()
                .createObjectNode()
                .put("type", "external_account")
                .put("audience", "//iam.googleapis.com/pool")
                .put("subject_token_type", "urn:ietf:params:oauth:token-type:jwt")
                .put("token_url", url("/sts").toString());
        impersonation.ifPresent(to -> file.put("service_account_impersonation_url", to.toString()));
        ObjectNode source = file.putObject("credential_source").put("file", subject.toString());
        source.putObject("format").put("type", "json").put("subject_token_field_name", "id_token");
        return Files.writeString(folder.resolve("federated.json"), file.toString());
    }

    private URI url(String path) {
        return endpoint.uri().resolve(path);
    }

    private GcsCredentials credentials(Optional<Path> file) {
        return new GcsCredentials(
                "test", settings(file), new CredentialsFinder(environment, folder.resolve("home")), () -> NOW);
    }

    private static GcsBackendSettings settings(Optional<Path> file) {
        return new GcsBackendSettings(
                Optional.empty(),
                file,
                false,
                URI.create("https://storage.googleapis.com"),
                Optional.empty(),
                Optional.empty(),
                new ConnectionSettings(
                        16,
                        BackendTlsSettings.DEFAULTS,
                        Optional.empty(),
                        Duration.ofSeconds(2),
                        Duration.ofSeconds(10),
                        Duration.ofSeconds(10)));
    }

    private static AccessToken token(GcsCredentials credentials) {
        return Objects.requireNonNull(credentials.token().block()).orElseThrow();
    }

    private static BackendException failure(GcsCredentials credentials) {
        return Objects.requireNonNull(catchThrowableOfType(
                BackendException.class, () -> credentials.token().block()));
    }

    private static JsonNode json(String base64) {
        return JsonMapper.shared().readTree(Base64.getUrlDecoder().decode(base64));
    }

    private static KeyPair keyPair() throws GeneralSecurityException {
        KeyPairGenerator generator = KeyPairGenerator.getInstance("RSA");
        generator.initialize(2048);
        return generator.generateKeyPair();
    }

    private PlannedResponse respond(RecordedRequest request) {
        String text = request.path().endsWith(":generateAccessToken")
                ? "{\"accessToken\":\"impersonated\",\"expireTime\":\"2026-11-24T11:00:00Z\"}"
                : request.path().endsWith("project-id") ? "machine-project" : response;
        return PlannedResponse.text(status, text).with("Metadata-Flavor", "Google");
    }
}
