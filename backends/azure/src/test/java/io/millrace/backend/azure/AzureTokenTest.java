package io.millrace.backend.azure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.millrace.backend.spi.Backend;
import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.testkit.BufferLeakExtension;
import io.millrace.backend.testkit.server.PlannedResponse;
import io.millrace.backend.testkit.server.RecordedRequest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import reactor.core.publisher.Flux;

/** The identities of an environment, before a server that is token endpoint and Blob service in one. */
@ExtendWith(BufferLeakExtension.class)
class AzureTokenTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(60);
    private static final BucketName CONTAINER = new BucketName("container");

    private final ScriptedBlobService server = new ScriptedBlobService();
    private final AtomicInteger issued = new AtomicInteger();

    @AfterEach
    void stop() {
        server.close();
    }

    @Test
    void workloadIdentityExchangesItsFederatedToken(@TempDir Path folder) throws IOException {
        Path file = Files.writeString(folder.resolve("token"), "federated.jwt\n");
        server.respond(this::issueAndAccept);
        Backend backend = backend(Map.of(
                "AZURE_CLIENT_ID",
                "client",
                "AZURE_TENANT_ID",
                "tenant",
                "AZURE_FEDERATED_TOKEN_FILE",
                file.toString(),
                "AZURE_AUTHORITY_HOST",
                server.url().toString()));

        backend.headBucket(CONTAINER).block(TIMEOUT);
        backend.headBucket(CONTAINER).block(TIMEOUT);

        RecordedRequest token = server.requests().get(0);
        assertThat(token.method() + " " + token.target()).isEqualTo("POST /tenant/oauth2/v2.0/token");
        assertThat(token.text())
                .contains("grant_type=client_credentials")
                .contains("client_id=client")
                .contains("scope=https%3A%2F%2Fstorage.azure.com%2F.default")
                .contains("client_assertion=federated.jwt")
                .contains("client_assertion_type=urn%3Aietf%3Aparams%3Aoauth%3Aclient-assertion-type%3Ajwt-bearer");
        assertThat(authorizations()).containsExactly("Bearer token-1", "Bearer token-1");
        backend.close().block(TIMEOUT);
    }

    @Test
    void clientSecretIsSentToTheAuthority() {
        server.respond(this::issueAndAccept);
        Backend backend = backend(Map.of(
                "AZURE_CLIENT_ID", "client",
                "AZURE_TENANT_ID", "tenant",
                "AZURE_CLIENT_SECRET", "s&cret",
                "AZURE_AUTHORITY_HOST", server.url() + "/"));

        backend.headBucket(CONTAINER).block(TIMEOUT);

        assertThat(server.requests().get(0).text()).contains("client_secret=s%26cret");
        backend.close().block(TIMEOUT);
    }

    @Test
    void managedIdentityRequestsTheMetadataService() {
        server.respond(this::issueAndAccept);
        Backend backend = backend(Map.of(
                "AZURE_CLIENT_ID",
                "user-assigned",
                "AZURE_POD_IDENTITY_AUTHORITY_HOST",
                server.url().toString()));

        backend.headBucket(CONTAINER).block(TIMEOUT);

        RecordedRequest token = server.requests().get(0);
        assertThat(token.target())
                .isEqualTo("/metadata/identity/oauth2/token?api-version=2018-02-01"
                        + "&resource=https%3A%2F%2Fstorage.azure.com%2F&client_id=user-assigned");
        assertThat(token.header("metadata")).contains("true");
        assertThat(authorizations()).containsExactly("Bearer token-1");
        backend.close().block(TIMEOUT);
    }

    @Test
    void managedIdentityOfAppServiceSendsItsSecret() {
        server.respond(this::issueAndAccept);
        Backend backend =
                backend(Map.of("IDENTITY_ENDPOINT", server.url() + "/msi/token", "IDENTITY_HEADER", "header-secret"));

        backend.headBucket(CONTAINER).block(TIMEOUT);

        RecordedRequest token = server.requests().get(0);
        assertThat(token.target()).startsWith("/msi/token?api-version=2019-08-01&resource=");
        assertThat(token.header("x-identity-header")).contains("header-secret");
        backend.close().block(TIMEOUT);
    }

    @Test
    void concurrentRequestsShareOneToken() {
        server.respond(this::issueAndAccept);
        Backend backend = backend(metadataService());

        Flux.range(0, 20).flatMap(i -> backend.headBucket(CONTAINER), 20).blockLast(TIMEOUT);

        assertThat(issued).hasValue(1);
        backend.close().block(TIMEOUT);
    }

    @Test
    void rejectedTokenIsNotUsedAgain() {
        server.respond(request -> isTokenRequest(request)
                ? issue()
                : request.header("authorization").orElse("").endsWith("-1")
                        ? ScriptedBlobService.error(401, "InvalidAuthenticationInfo")
                        : PlannedResponse.of(200));
        Backend backend = backend(metadataService());

        BackendException failure = catchThrowableOfType(
                BackendException.class, () -> backend.headBucket(CONTAINER).block(TIMEOUT));
        backend.headBucket(CONTAINER).block(TIMEOUT);

        assertThat(failure.kind()).isEqualTo(FailureKind.CREDENTIALS_REJECTED);
        assertThat(authorizations()).containsExactly("Bearer token-1", "Bearer token-2");
        backend.close().block(TIMEOUT);
    }

    @Test
    void refusedTokenRequestNamesSourceAndReason() {
        server.respond(request -> PlannedResponse.text(
                400, "{\"error\":\"invalid_client\",\"error_description\":\"AADSTS7000215: wrong\\r\\nTrace: 1\"}"));
        Backend backend = backend(Map.of(
                "AZURE_CLIENT_ID", "client",
                "AZURE_TENANT_ID", "tenant",
                "AZURE_CLIENT_SECRET", "guess",
                "AZURE_AUTHORITY_HOST", server.url().toString()));

        BackendException failure = catchThrowableOfType(
                BackendException.class, () -> backend.headBucket(CONTAINER).block(TIMEOUT));

        assertThat(failure.kind()).isEqualTo(FailureKind.CREDENTIALS_REJECTED);
        assertThat(failure)
                .hasMessageContaining("no token from AZURE_CLIENT_SECRET: ")
                .hasMessageEndingWith("status 400: invalid_client AADSTS7000215: wrong")
                .hasMessageNotContaining("guess");
        backend.close().block(TIMEOUT);
    }

    @Test
    void failingTokenEndpointLeavesCredentialsUnavailable() {
        server.respond(request -> PlannedResponse.text(503, "{}"));
        Backend backend = backend(Map.of(
                "AZURE_CLIENT_ID", "client",
                "AZURE_TENANT_ID", "tenant",
                "AZURE_CLIENT_SECRET", "guess",
                "AZURE_AUTHORITY_HOST", server.url().toString()));

        BackendException failure = catchThrowableOfType(
                BackendException.class, () -> backend.headBucket(CONTAINER).block(TIMEOUT));

        assertThat(failure.kind()).isEqualTo(FailureKind.CREDENTIALS_UNAVAILABLE);
        assertThat(failure)
                .hasMessageContaining("no token from AZURE_CLIENT_SECRET: ")
                .hasMessageEndingWith("status 503");
        backend.close().block(TIMEOUT);
    }

    @Test
    void missingIdentityErrorNamesTheSettings() {
        server.respond(request -> PlannedResponse.text(
                400, "{\"error\":\"invalid_request\",\"error_description\":\"Identity not found\"}"));
        Backend backend = backend(metadataService());

        BackendException failure = catchThrowableOfType(
                BackendException.class, () -> backend.headBucket(CONTAINER).block(TIMEOUT));

        assertThat(failure.kind()).isEqualTo(FailureKind.CREDENTIALS_REJECTED);
        assertThat(failure).hasMessageContaining("Identity not found").hasMessageContaining("account-key");
        backend.close().block(TIMEOUT);
    }

    private Backend backend(Map<String, String> environment) {
        return AzureTestAccount.at(server.url()).withoutCredentials().backend(environment);
    }

    private Map<String, String> metadataService() {
        return Map.of("AZURE_POD_IDENTITY_AUTHORITY_HOST", server.url().toString());
    }

    private PlannedResponse issueAndAccept(RecordedRequest request) {
        return isTokenRequest(request) ? issue() : PlannedResponse.of(200);
    }

    private PlannedResponse issue() {
        String token =
                "{\"token_type\":\"Bearer\",\"expires_in\":\"3599\",\"ext\":{\"a\":[1]},\"access_token\":\"token-%d\"}";
        return PlannedResponse.text(200, token.formatted(issued.incrementAndGet()));
    }

    private static boolean isTokenRequest(RecordedRequest request) {
        return request.target().contains("token");
    }

    private List<String> authorizations() {
        return server.requests().stream()
                .filter(request -> !isTokenRequest(request))
                .map(request -> request.header("authorization").orElse(""))
                .toList();
    }
}
