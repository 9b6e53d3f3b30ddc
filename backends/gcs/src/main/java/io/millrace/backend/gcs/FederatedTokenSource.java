package io.millrace.backend.gcs;

import io.millrace.backend.http.AccessToken;
import io.millrace.backend.http.TokenEndpointClient;
import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.kit.file.FileFailureText;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * A source of access tokens for workloads outside Google Cloud: exchanges a token of another identity provider, which
 * it reads from a file that others renew, for a Google access token.
 *
 * @see <a href="https://cloud.google.com/iam/docs/workload-identity-federation">Workload identity federation</a>
 */
final class FederatedTokenSource implements GoogleTokenSource {
    /** The right that the exchange for a service account's token needs; that token has only {@link #SCOPE}. */
    private static final String EXCHANGE_SCOPE = "https://www.googleapis.com/auth/cloud-platform";

    private final GoogleCredentialsFile document;
    private final TokenEndpointClient endpoints;

    /**
     * @throws IllegalArgumentException if the document lacks a field or has its token elsewhere than in a file
     */
    FederatedTokenSource(GoogleCredentialsFile document, TokenEndpointClient endpoints) {
        this.document = document;
        this.endpoints = endpoints;
        document.required("audience");
        document.required("subject_token_type");
        document.endpoint("token_url", GoogleCredentialsFile.STS_ENDPOINT);
        if (file().isEmpty()) {
            throw new IllegalArgumentException(document.origin()
                    + ": credential_source is no file; tokens from a URL, an executable or AWS are not supported: let"
                    + " the platform write the token to a file");
        }
    }

    @Override
    public String description() {
        return "the workload identity in " + document.origin();
    }

    @Override
    public Mono<AccessToken> fetch() {
        return Mono.fromCallable(this::subjectToken)
                .subscribeOn(Schedulers.boundedElastic())
                .flatMap(subject -> endpoints.postForm(
                        document.endpoint("token_url", GoogleCredentialsFile.STS_ENDPOINT),
                        Map.of(
                                "grant_type",
                                "urn:ietf:params:oauth:grant-type:token-exchange",
                                "audience",
                                document.required("audience"),
                                "scope",
                                isImpersonating() ? EXCHANGE_SCOPE : SCOPE,
                                "requested_token_type",
                                "urn:ietf:params:oauth:token-type:access_token",
                                "subject_token_type",
                                document.required("subject_token_type"),
                                "subject_token",
                                subject)));
    }

    private boolean isImpersonating() {
        return document.optional(ImpersonatedTokenSource.URL_FIELD).isPresent();
    }

    private String file() {
        return document.at("/credential_source/file").asString("");
    }

    private String subjectToken() {
        String text;
        try {
            text = Files.readString(Path.of(file()));
        } catch (IOException e) {
            throw new BackendException(
                    FailureKind.CREDENTIALS_REJECTED,
                    "the token file %s cannot be read: %s".formatted(file(), FileFailureText.of(e)));
        }
        JsonNode format = document.at("/credential_source/format");
        String token = format.path("type").asString("text").equals("json")
                ? field(text, format.path("subject_token_field_name").asString(""))
                : text.strip();
        if (token.isEmpty()) {
            throw new BackendException(
                    FailureKind.CREDENTIALS_REJECTED, "the token file %s holds no token".formatted(file()));
        }
        return token;
    }

    private static String field(String json, String name) {
        try {
            return JsonMapper.shared().readTree(json).path(name).asString("");
        } catch (JacksonException e) {
            return "";
        }
    }
}
