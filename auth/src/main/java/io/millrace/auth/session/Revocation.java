package io.millrace.auth.session;

import java.time.Instant;

/**
 * Decision of an operator that credentials are refused from now on.
 *
 * @param name of the session, identity or role; empty for {@link RevocationTarget#ALL}
 * @param before credentials issued until then are refused; for an identity it only says when the revocation was made,
 *     because keys have no time of issue
 */
public record Revocation(RevocationTarget target, String name, Instant before) {}
