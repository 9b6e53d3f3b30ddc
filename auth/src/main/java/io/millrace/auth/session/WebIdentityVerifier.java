package io.millrace.auth.session;

import com.nimbusds.jwt.SignedJWT;
import io.millrace.auth.session.WebIdentityException.Reason;
import java.text.ParseException;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/**
 * Verifies tokens (JWT) of the identity providers in the settings: signature, issuer, audience and times. Thread-safe;
 * never blocks, but computes: it is not for event loops.
 */
public final class WebIdentityVerifier {
    /** Length limit in characters, that of AWS. */
    static final int MOST_CHARACTERS = 20_000;

    private final Map<String, OidcIssuer> issuers;

    /** @param issuers each URL once */
    public WebIdentityVerifier(List<IssuerSettings> issuers, InstantSource clock) {
        this.issuers = issuers.stream()
                .collect(Collectors.toUnmodifiableMap(
                        issuer -> issuer.url().toString(), issuer -> new OidcIssuer(issuer, clock)));
    }

    /**
     * Returns whom a token names; fails with a WebIdentityException if it is not accepted. A token whose key is known
     * is verified at once, on the caller's thread.
     *
     * @param network that of the client, which is counted while the token waits for its provider's keys
     */
    public Mono<WebIdentity> verify(String token, long network) {
        return Mono.defer(() -> {
            if (token.length() > MOST_CHARACTERS) {
                throw malformed();
            }
            try {
                // Neither unsigned nor encrypted tokens parse as this.
                SignedJWT jwt = SignedJWT.parse(token);
                @Nullable String claimed = jwt.getJWTClaimsSet().getIssuer();
                OidcIssuer issuer = claimed == null ? null : issuers.get(claimed);
                if (issuer == null) {
                    throw new WebIdentityException(Reason.INVALID, "The token's issuer is not known here.");
                }
                return issuer.verify(jwt, network);
            } catch (ParseException e) {
                throw malformed();
            }
        });
    }

    private static WebIdentityException malformed() {
        return new WebIdentityException(Reason.INVALID, "The token is not a signed JSON web token.");
    }
}
