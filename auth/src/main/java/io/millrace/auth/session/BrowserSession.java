package io.millrace.auth.session;

import io.millrace.config.Secret;
import java.time.Instant;

/**
 * A session that a browser holds.
 *
 * @param accessKey names it in logs and revocations
 * @param cookie proves it
 */
public record BrowserSession(String accessKey, Secret cookie, Instant expiresAt) {}
