package io.millrace.auth.session;

import com.nimbusds.jwt.SignedJWT;
import io.millrace.auth.session.WebIdentityException.Reason;
import io.millrace.config.Secret;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.text.ParseException;
import java.time.InstantSource;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import reactor.core.publisher.Mono;

/**
 * The authorization code flow of OpenID Connect with PKCE, by which people sign in. Thread-safe; never blocks.
 *
 * @see <a href="https://openid.net/specs/openid-connect-core-1_0.html#CodeFlowAuth">OpenID Connect Core</a>
 */
public final class SignInClient {
    private static final String OPENID = "openid";

    /** No provider's code is longer. */
    private static final int MOST_CHARACTERS = 2048;

    private final SignInSettings settings;
    private final OidcIssuer issuer;

    public SignInClient(SignInSettings settings, InstantSource clock) {
        this.settings = settings;
        this.issuer = new OidcIssuer(new IssuerSettings(settings.issuer(), settings.clientId()), clock);
    }

    /** Returns the URL at which a person signs in; fails with a WebIdentityException of reason ISSUER_UNREACHABLE. */
    public Mono<String> authorizationUrl(PendingSignIn pending) {
        Map<String, String> parameters = new LinkedHashMap<>();
        parameters.put("response_type", "code");
        parameters.put("client_id", settings.clientId());
        parameters.put("redirect_uri", settings.callback());
        parameters.put(
                "scope",
                Stream.concat(Stream.of(OPENID), settings.scopes().stream())
                        .distinct()
                        .collect(Collectors.joining(" ")));
        parameters.put("state", pending.state());
        parameters.put("nonce", pending.nonce());
        parameters.put("code_challenge", pending.challenge());
        parameters.put("code_challenge_method", "S256");
        return issuer.document()
                .map(document -> document.authorizationEndpoint().toString())
                .map(endpoint -> endpoint + (endpoint.contains("?") ? '&' : '?') + form(parameters));
    }

    /**
     * Exchanges a code for an ID token and returns whom that names; fails with a WebIdentityException if the provider
     * refuses the code, or the token is not one of this sign-in.
     */
    public Mono<WebIdentity> redeem(String code, PendingSignIn pending) {
        if (code.isEmpty() || code.length() > MOST_CHARACTERS) {
            return Mono.error(SignInClient::refused);
        }
        Map<String, String> parameters = new LinkedHashMap<>();
        parameters.put("grant_type", "authorization_code");
        parameters.put("code", code);
        parameters.put("redirect_uri", settings.callback());
        parameters.put("code_verifier", pending.verifier());
        if (settings.clientSecret().isEmpty()) {
            parameters.put("client_id", settings.clientId());
        }
        return idToken(parameters)
                .switchIfEmpty(Mono.error(SignInClient::refused))
                .flatMap(this::verified)
                .doOnNext(identity -> requireOfThisSignIn(identity, pending));
    }

    private Mono<WebIdentity> verified(String token) {
        if (token.length() > WebIdentityVerifier.MOST_CHARACTERS) {
            return Mono.error(SignInClient::refused);
        }
        try {
            // Neither unsigned nor encrypted tokens parse as this. They are the provider's own, so its keys are waited
            // for by few.
            return issuer.verify(SignedJWT.parse(token), 0);
        } catch (ParseException e) {
            return Mono.error(SignInClient::refused);
        }
    }

    private Mono<String> idToken(Map<String, String> parameters) {
        return issuer.document()
                .flatMap(document -> issuer.post(document.tokenEndpoint(), form(parameters), authorization())
                        .onErrorMap(failure -> new WebIdentityException(
                                Reason.ISSUER_UNREACHABLE,
                                "The identity provider did not answer as it should; try again later.")))
                .mapNotNull(fields -> fields.get("id_token") instanceof String token ? token : null);
    }

    private void requireOfThisSignIn(WebIdentity identity, PendingSignIn pending) {
        List<String> parties = identity.claim("azp");
        boolean isForOthersToo = identity.claim("aud").size() > 1;
        if (!identity.claim("nonce").equals(List.of(pending.nonce()))
                || (isForOthersToo && parties.isEmpty())
                || !(parties.isEmpty() || parties.equals(List.of(settings.clientId())))) {
            throw new WebIdentityException(Reason.INVALID, "The identity provider's token is not one of this sign-in.");
        }
    }

    /** Returns the client's authentication; its parts are encoded as forms are, which RFC 6749 wants. */
    private Optional<String> authorization() {
        return settings.clientSecret().map(Secret::reveal).map(secret -> {
            String pair = encoded(settings.clientId()) + ':' + encoded(secret);
            return "Basic " + Base64.getEncoder().encodeToString(pair.getBytes(StandardCharsets.UTF_8));
        });
    }

    private static String form(Map<String, String> parameters) {
        return parameters.entrySet().stream()
                .map(one -> one.getKey() + '=' + encoded(one.getValue()))
                .collect(Collectors.joining("&"));
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }

    private static WebIdentityException refused() {
        return new WebIdentityException(Reason.INVALID, "The identity provider gave no ID token for this code.");
    }
}
