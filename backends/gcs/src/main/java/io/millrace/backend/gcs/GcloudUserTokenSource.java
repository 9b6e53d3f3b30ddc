package io.millrace.backend.gcs;

import io.millrace.backend.http.AccessToken;
import io.millrace.backend.http.TokenEndpointClient;
import java.util.Map;
import reactor.core.publisher.Mono;

/** Obtains access tokens of a user who has logged in with gcloud, with the refresh token that gcloud stored. */
final class GcloudUserTokenSource implements GoogleTokenSource {
    private final GoogleCredentialsFile document;
    private final TokenEndpointClient endpoints;

    /**
     * @throws IllegalArgumentException if the document lacks a field; the message says which
     */
    GcloudUserTokenSource(GoogleCredentialsFile document, TokenEndpointClient endpoints) {
        this.document = document;
        this.endpoints = endpoints;
        document.required("client_id");
        document.required("client_secret");
        document.required("refresh_token");
        document.endpoint("token_uri", GoogleCredentialsFile.TOKEN_ENDPOINT);
    }

    @Override
    public String description() {
        return "the user's login in " + document.origin();
    }

    @Override
    public Mono<AccessToken> fetch() {
        return Mono.defer(() -> endpoints.postForm(
                document.endpoint("token_uri", GoogleCredentialsFile.TOKEN_ENDPOINT),
                Map.of(
                        "grant_type", "refresh_token",
                        "client_id", document.required("client_id"),
                        "client_secret", document.required("client_secret"),
                        "refresh_token", document.required("refresh_token"))));
    }
}
