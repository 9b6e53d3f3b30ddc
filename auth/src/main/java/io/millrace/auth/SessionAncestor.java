package io.millrace.auth;

import java.time.Instant;

/**
 * A session by which another one was assumed, perhaps by way of others. A revocation of it ends the other, too.
 *
 * @param accessKey that of the session
 * @param principal the name of its principal
 * @param issuedAt in milliseconds
 */
public record SessionAncestor(String accessKey, String principal, Instant issuedAt) {}
