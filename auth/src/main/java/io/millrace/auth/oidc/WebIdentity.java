package io.millrace.auth.oidc;

/**
 * Owner of an identity provider's token, as the token names it.
 *
 * @param issuer the provider's URL
 * @param subject the name that the provider gives the owner of the token; any text
 * @param audience whom the token is for
 */
public record WebIdentity(String issuer, String subject, String audience) {}
