package io.millrace.gateway.control;

import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A request to revoke credentials.
 *
 * @param target {@code session}, {@code identity}, {@code sessions-of} (an identity), {@code role} or {@code all}
 * @param name of the session, identity or role
 * @param before credentials issued until then are refused; empty for now
 */
record RevocationRequest(@Nullable String target, @Nullable String name, Optional<Instant> before) {}
