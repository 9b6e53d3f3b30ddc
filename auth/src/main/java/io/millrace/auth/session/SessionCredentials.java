package io.millrace.auth.session;

import io.millrace.config.Secret;
import java.time.Instant;

/**
 * Temporary credentials of a session, as STS returns them.
 *
 * @param token the session token, which clients send with each signature
 */
public record SessionCredentials(String accessKey, Secret secretKey, Secret token, Instant expiresAt) {}
