package io.millrace.auth.session;

import java.time.Instant;

/**
 * A grant to a client from one instant until another.
 *
 * @param fingerprint that of the key pair of the grant's identity when it was issued, which ends with that key pair;
 *     empty without an identity
 */
record Session(SessionGrant grant, String fingerprint, Instant issuedAt, Instant expiresAt) {}
