package io.millrace.backend.gcs;

import io.millrace.backend.http.AccessToken;
import io.millrace.backend.http.TokenEndpointClient;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.spec.PKCS8EncodedKeySpec;
import java.time.Instant;
import java.util.Base64;
import java.util.Map;
import java.util.Optional;
import reactor.core.publisher.Mono;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * Access tokens of a service account, each for an assertion signed with its private key.
 *
 * @see <a href="https://developers.google.com/identity/protocols/oauth2/service-account">OAuth 2.0 for service
 * accounts</a>
 */
final class ServiceAccountTokenSource implements GoogleTokenSource {
    private static final long LIFE_SECONDS = 3600;
    private static final Base64.Encoder BASE64 = Base64.getUrlEncoder().withoutPadding();
    private static final JsonMapper JSON = JsonMapper.shared();

    private final GoogleCredentialsFile document;
    private final PrivateKey key;
    private final TokenEndpointClient endpoints;

    /**
     * @throws IllegalArgumentException if the document lacks a field or its key cannot be read; the message says which
     */
    ServiceAccountTokenSource(GoogleCredentialsFile document, TokenEndpointClient endpoints) {
        this.document = document;
        this.key = privateKey(document);
        this.endpoints = endpoints;
        document.required("client_email");
        tokenEndpoint();
    }

    @Override
    public String description() {
        return "the service account %s in %s".formatted(document.required("client_email"), document.origin());
    }

    @Override
    public Mono<AccessToken> fetch() {
        return Mono.defer(() -> endpoints.postForm(
                tokenEndpoint(),
                Map.of(
                        "grant_type",
                        "urn:ietf:params:oauth:grant-type:jwt-bearer",
                        "assertion",
                        assertion(endpoints.clock().instant()))));
    }

    @Override
    public Mono<Optional<String>> project() {
        return Mono.just(document.optional("project_id"));
    }

    private URI tokenEndpoint() {
        return document.endpoint("token_uri", GoogleCredentialsFile.TOKEN_ENDPOINT);
    }

    private String assertion(Instant now) {
        ObjectNode header = JSON.createObjectNode().put("alg", "RS256").put("typ", "JWT");
        document.optional("private_key_id").ifPresent(id -> header.put("kid", id));
        ObjectNode claims = JSON.createObjectNode()
                .put("iss", document.required("client_email"))
                .put("scope", SCOPE)
                .put("aud", tokenEndpoint().toString())
                .put("iat", now.getEpochSecond())
                .put("exp", now.getEpochSecond() + LIFE_SECONDS);
        String signed = encode(JSON.writeValueAsBytes(header)) + "." + encode(JSON.writeValueAsBytes(claims));
        return signed + "." + encode(sign(signed.getBytes(StandardCharsets.US_ASCII)));
    }

    private byte[] sign(byte[] text) {
        try {
            Signature signature = Signature.getInstance("SHA256withRSA");
            signature.initSign(key);
            signature.update(text);
            return signature.sign();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every JDK signs with RSA", e);
        }
    }

    private static PrivateKey privateKey(GoogleCredentialsFile document) {
        String pem = document.required("private_key")
                .replace("-----BEGIN PRIVATE KEY-----", "")
                .replace("-----END PRIVATE KEY-----", "")
                .replaceAll("\\s", "");
        try {
            return KeyFactory.getInstance("RSA")
                    .generatePrivate(new PKCS8EncodedKeySpec(Base64.getDecoder().decode(pem)));
        } catch (GeneralSecurityException | IllegalArgumentException e) {
            // Without the cause, whose message may quote the key.
            throw new IllegalArgumentException(document.origin() + ": private_key is no RSA key in PKCS #8");
        }
    }

    private static String encode(byte[] bytes) {
        return BASE64.encodeToString(bytes);
    }
}
