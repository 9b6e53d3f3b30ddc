package io.millrace.backend.azure;

import io.millrace.backend.http.AccessToken;
import io.millrace.backend.http.TokenEndpointClient;
import io.millrace.backend.spi.object.HeaderList;
import java.net.URI;
import java.util.Map;
import reactor.core.publisher.Mono;

/**
 * Fetches tokens of the managed identity of this machine: from App Service's and Container Apps' endpoint if the
 * environment names it, otherwise from the instance metadata service.
 *
 * @see <a
 * href="https://learn.microsoft.com/entra/identity/managed-identities-azure-resources/how-to-use-vm-token">Tokens on a
 * VM</a>
 */
final class ManagedIdentityTokenSource implements AzureTokenSource {
    /** Link-local: only the machine itself can answer. */
    private static final String METADATA_HOST = "http://169.254.169.254";

    private final TokenEndpointClient endpoint;
    private final String name;
    private final URI url;
    private final HeaderList headers;

    ManagedIdentityTokenSource(TokenEndpointClient endpoint, Map<String, String> environment) {
        this.endpoint = endpoint;
        String own = environment.getOrDefault("IDENTITY_ENDPOINT", "");
        String secret = environment.getOrDefault("IDENTITY_HEADER", "");
        boolean isService = !own.isEmpty() && !secret.isEmpty();
        this.name = isService ? "IDENTITY_ENDPOINT" : "the managed identity of this machine";
        String base = isService
                ? own + "?api-version=2019-08-01"
                : environment.getOrDefault("AZURE_POD_IDENTITY_AUTHORITY_HOST", METADATA_HOST)
                        + "/metadata/identity/oauth2/token?api-version=2018-02-01";
        String client = environment.getOrDefault("AZURE_CLIENT_ID", "");
        this.url = URI.create(base + "&resource=" + SignableRequest.encode(RESOURCE)
                + (client.isEmpty() ? "" : "&client_id=" + SignableRequest.encode(client)));
        this.headers = isService
                ? HeaderList.EMPTY.with("x-identity-header", secret)
                : HeaderList.EMPTY.with("metadata", "true");
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public Mono<AccessToken> fetch() {
        return endpoint.getToken(url, headers);
    }
}
