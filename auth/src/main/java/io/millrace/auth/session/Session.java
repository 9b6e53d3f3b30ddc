package io.millrace.auth.session;

import java.time.Instant;

/** A grant to a client from one instant until another. */
public record Session(SessionGrant grant, Instant issuedAt, Instant expiresAt) {}
