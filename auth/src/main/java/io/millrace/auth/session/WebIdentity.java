package io.millrace.auth.session;

import java.util.List;
import java.util.Map;

/**
 * Owner of an identity provider's token, as the token names it.
 *
 * @param issuer the provider's URL
 * @param subject the name that the provider gives the owner of the token; any text
 * @param audience whom the token is for
 * @param claims the texts, numbers and truth values of the token by the name of their claim or its JSON pointer, one or
 *     a list of them
 */
public record WebIdentity(String issuer, String subject, String audience, Map<String, List<String>> claims) {
    public WebIdentity {
        claims = Map.copyOf(claims);
    }

    /** Returns the values of a claim; empty if the token has no such claim. */
    public List<String> claim(String name) {
        return claims.getOrDefault(name, List.of());
    }
}
