package io.millrace.gateway.control;

import io.millrace.auth.session.Revocation;
import io.millrace.auth.session.RevocationTarget;
import java.time.Instant;
import java.util.Locale;

/**
 * A revocation in force.
 *
 * @param target {@code session}, {@code identity}, {@code sessions-of}, {@code role} or {@code all}
 * @param name of the session, identity or role; empty for {@code all}
 * @param before credentials issued until then are refused; for an identity when it was revoked
 */
record RevocationView(String target, String name, Instant before) {
    static RevocationView of(Revocation revocation) {
        return new RevocationView(text(revocation.target()), revocation.name(), revocation.before());
    }

    static String text(RevocationTarget target) {
        return target.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
