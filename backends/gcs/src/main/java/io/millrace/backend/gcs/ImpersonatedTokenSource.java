package io.millrace.backend.gcs;

import io.millrace.backend.http.AccessToken;
import io.millrace.backend.http.TokenEndpointClient;
import io.millrace.backend.http.TokenResponse;
import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.object.HeaderList;
import java.net.URI;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.Optional;
import reactor.core.publisher.Mono;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * Access tokens of a service account, which another identity may impersonate.
 *
 * @param identity whose tokens ask for those of the service account
 */
record ImpersonatedTokenSource(GoogleTokenSource identity, URI endpoint, TokenEndpointClient endpoints)
        implements GoogleTokenSource {
    static final String URL_FIELD = "service_account_impersonation_url";

    @Override
    public String description() {
        return identity.description() + ", impersonating a service account";
    }

    @Override
    public Mono<AccessToken> fetch() {
        ObjectNode request = JsonMapper.shared().createObjectNode().put("lifetime", "3600s");
        request.putArray("scope").add(SCOPE);
        byte[] body = JsonMapper.shared().writeValueAsBytes(request);
        return identity.fetch()
                .flatMap(token ->
                        endpoints.postJson(endpoint, HeaderList.EMPTY.with("authorization", token.toHeader()), body))
                .map(ImpersonatedTokenSource::token);
    }

    @Override
    public Mono<Optional<String>> project() {
        return identity.project();
    }

    private static AccessToken token(TokenResponse response) {
        try {
            return new AccessToken(response.field("accessToken"), Instant.parse(response.field("expireTime")));
        } catch (DateTimeException | IllegalArgumentException e) {
            throw new BackendException(FailureKind.INVALID_RESPONSE, "no access token in the response");
        }
    }
}
