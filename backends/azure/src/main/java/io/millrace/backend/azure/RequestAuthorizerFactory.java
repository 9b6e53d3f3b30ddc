package io.millrace.backend.azure;

import io.millrace.backend.http.AccessToken;
import io.millrace.backend.http.ConnectionSettings;
import io.millrace.backend.http.HttpPoolSettings;
import io.millrace.backend.http.TokenEndpointClient;
import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.kit.async.RenewingCache;
import java.net.URI;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Mono;

/** Creates the {@link RequestAuthorizer} of a backend, from its settings or else from the environment. */
final class RequestAuthorizerFactory {
    private static final String AUTHORITY = "https://login.microsoftonline.com/";

    /** Of a request a token, which all requests share. */
    private static final int MAX_CONNECTIONS = 4;

    private static final Logger LOG = LoggerFactory.getLogger(RequestAuthorizerFactory.class);

    private RequestAuthorizerFactory() {}

    /**
     * Sends no request yet.
     *
     * @param backend its name in the settings
     */
    static RequestAuthorizer of(
            String backend,
            AzureBackendSettings settings,
            StorageAccount account,
            Map<String, String> environment,
            InstantSource clock) {
        if (settings.anonymous()) {
            return new AnonymousAuthorizer();
        }
        if (account.key().isPresent()) {
            return new SharedKeyAuthorizer(account.name(), account.key().get(), clock);
        }
        if (account.sas().isPresent()) {
            return new SasAuthorizer(account.sas().get());
        }
        TokenEndpointClient endpoint = endpoint(backend, settings.connections(), clock);
        AzureTokenSource source = explained(source(endpoint, environment));
        RenewingCache<AccessToken> tokens = AccessToken.cache(
                Mono.defer(source::fetch),
                failure -> LOG.warn("Backend '{}' keeps the token it has: {}", backend, failure.getMessage()),
                clock);
        return new BearerAuthorizer(tokens, Mono.defer(endpoint::close));
    }

    private static TokenEndpointClient endpoint(String backend, ConnectionSettings settings, InstantSource clock) {
        HttpPoolSettings pool = new HttpPoolSettings(
                "azure-token-" + backend,
                MAX_CONNECTIONS,
                settings.connectTimeout(),
                settings.connectTimeout().plus(settings.firstByteTimeout()),
                settings.outbound());
        return new TokenEndpointClient(pool, settings.firstByteTimeout(), clock);
    }

    private static AzureTokenSource source(TokenEndpointClient endpoint, Map<String, String> environment) {
        String client = environment.getOrDefault("AZURE_CLIENT_ID", "");
        String tenant = environment.getOrDefault("AZURE_TENANT_ID", "");
        String file = environment.getOrDefault("AZURE_FEDERATED_TOKEN_FILE", "");
        String secret = environment.getOrDefault("AZURE_CLIENT_SECRET", "");
        if (client.isEmpty() || tenant.isEmpty() || (file.isEmpty() && secret.isEmpty())) {
            return new ManagedIdentityTokenSource(endpoint, environment);
        }
        String authority = environment.getOrDefault("AZURE_AUTHORITY_HOST", AUTHORITY);
        URI url = URI.create("%s%s%s/oauth2/v2.0/token"
                .formatted(authority, authority.endsWith("/") ? "" : "/", SignableRequest.encode(tenant)));
        return file.isEmpty()
                ? EntraTokenSource.withSecret(endpoint, url, client, secret)
                : EntraTokenSource.withFederatedToken(endpoint, url, client, Path.of(file));
    }

    /** Returns the source, whose failures name it and say what to do. */
    private static AzureTokenSource explained(AzureTokenSource source) {
        return new AzureTokenSource() {
            @Override
            public String name() {
                return source.name();
            }

            @Override
            public Mono<AccessToken> fetch() {
                return source.fetch().onErrorMap(BackendException.class, failure -> explain(source, failure));
            }
        };
    }

    private static BackendException explain(AzureTokenSource source, BackendException failure) {
        boolean last = source instanceof ManagedIdentityTokenSource;
        String remedy = last
                ? "; without account-key, sas and connection-string it is the last source: write one of them, or set"
                        + " AZURE_CLIENT_ID, AZURE_TENANT_ID and AZURE_CLIENT_SECRET or AZURE_FEDERATED_TOKEN_FILE"
                : "";
        FailureKind unreachable = last ? FailureKind.CREDENTIALS_REJECTED : FailureKind.CREDENTIALS_UNAVAILABLE;
        return new BackendException(
                failure.kind() == FailureKind.UNAVAILABLE ? unreachable : failure.kind(),
                "no token from %s: %s%s".formatted(source.name(), failure.getMessage(), remedy));
    }
}
