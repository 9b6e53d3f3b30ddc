package io.millrace.backend.azure;

import io.millrace.backend.http.AccessToken;
import io.millrace.backend.http.TokenEndpointClient;
import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/**
 * Fetches tokens of an application from Microsoft Entra ID by the client credentials flow: with a client secret, or
 * with the token of a federated identity (workload identity), whose file Kubernetes replaces from time to time.
 *
 * @see <a href="https://learn.microsoft.com/entra/identity-platform/v2-oauth2-client-creds-grant-flow">Client
 * credentials flow</a>
 */
record EntraTokenSource(
        TokenEndpointClient endpoint, String name, URI url, String clientId, Mono<Map<String, String>> proof)
        implements AzureTokenSource {
    static EntraTokenSource withSecret(TokenEndpointClient endpoint, URI url, String clientId, String secret) {
        return new EntraTokenSource(
                endpoint, "AZURE_CLIENT_SECRET", url, clientId, Mono.just(Map.of("client_secret", secret)));
    }

    static EntraTokenSource withFederatedToken(TokenEndpointClient endpoint, URI url, String clientId, Path file) {
        Mono<Map<String, String>> assertion = Mono.fromCallable(() -> Files.readString(file))
                .subscribeOn(Schedulers.boundedElastic())
                .onErrorMap(
                        IOException.class,
                        failure -> new BackendException(
                                FailureKind.CREDENTIALS_REJECTED,
                                "AZURE_FEDERATED_TOKEN_FILE cannot be read: " + failure))
                .map(token -> Map.of(
                        "client_assertion_type",
                        "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
                        "client_assertion",
                        token.strip()));
        return new EntraTokenSource(endpoint, "AZURE_FEDERATED_TOKEN_FILE", url, clientId, assertion);
    }

    @Override
    public Mono<AccessToken> fetch() {
        return proof.flatMap(proven -> {
            Map<String, String> form = new LinkedHashMap<>();
            form.put("grant_type", "client_credentials");
            form.put("client_id", clientId);
            form.put("scope", RESOURCE + ".default");
            form.putAll(proven);
            return endpoint.postForm(url, form);
        });
    }
}
