package io.millrace.auth.session;

import java.time.Instant;

/**
 * A role that a client has assumed until an instant.
 *
 * @param role the role's name in the settings file
 * @param name the client's own name for the session; appears in logs
 * @param subject who assumed the role: issuer and subject of the identity provider's token
 */
public record Session(String role, String name, String subject, Instant issuedAt, Instant expiresAt) {}
