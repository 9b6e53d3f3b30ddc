package io.millrace.auth.session;

import io.millrace.auth.SessionAncestor;
import io.millrace.auth.policy.Principal;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The revocations in force, as requests are compared with them. A change holds for each question that is asked after
 * it. Thread-safe; a question costs a volatile read, and some hash lookups if anything is revoked.
 */
public final class Revocations {
    private volatile Map<RevocationTarget, Map<String, Instant>> inForce = Map.of();

    /** Puts exactly these revocations in force, of each credentials at most one. */
    public void set(Collection<Revocation> revocations) {
        Map<RevocationTarget, Map<String, Instant>> next = new EnumMap<>(RevocationTarget.class);
        revocations.forEach(one ->
                next.computeIfAbsent(one.target(), target -> new HashMap<>()).put(one.name(), one.before()));
        inForce = next;
    }

    /** Returns whether there is a revocation of exactly this. */
    boolean has(RevocationTarget target, String name) {
        return before(target, name) != null;
    }

    /** Returns the number of revocations in force. */
    int size() {
        return inForce.values().stream().mapToInt(Map::size).sum();
    }

    /** Returns the revocations in force. */
    public List<Revocation> all() {
        List<Revocation> all = new ArrayList<>();
        inForce.forEach(
                (target, names) -> names.forEach((name, before) -> all.add(new Revocation(target, name, before))));
        return all;
    }

    /**
     * Returns whether something that a principal was issued is revoked.
     *
     * @param issuedAt when its session, token, URL or job was made; {@link Instant#MAX} for an identity's keys, which
     *     have no such time
     */
    public boolean isRevoked(Principal principal, Instant issuedAt) {
        Map<RevocationTarget, Map<String, Instant>> now = inForce;
        if (now.isEmpty()) {
            return false;
        }
        if (isBefore(issuedAt, before(now, RevocationTarget.ALL, ""))) {
            return true;
        }
        String role = principal.role();
        String identity = identityOf(principal);
        if (identity != null
                && (before(now, RevocationTarget.IDENTITY, identity) != null
                        || isBefore(issuedAt, before(now, RevocationTarget.SESSIONS_OF, identity)))) {
            return true;
        }
        return role != null
                && (isBefore(issuedAt, before(now, RevocationTarget.ROLE, role))
                        || isBefore(issuedAt, before(now, RevocationTarget.SESSION, principal.name())));
    }

    /** Returns whether a session is revoked by its access key, or as {@link #isRevoked(Principal, Instant)}. */
    public boolean isRevoked(Principal session, String accessKey, Instant issuedAt) {
        return isRevoked(session, issuedAt) || isBefore(issuedAt, before(RevocationTarget.SESSION, accessKey));
    }

    /**
     * Returns whether one of the sessions by which another was assumed is revoked: by itself, with its role, with those
     * of the identity that both go back to, or with all.
     *
     * @param principal that of the other
     */
    public boolean isAnyRevoked(Principal principal, List<SessionAncestor> ancestors) {
        Map<RevocationTarget, Map<String, Instant>> now = inForce;
        if (now.isEmpty() || ancestors.isEmpty()) {
            return false;
        }
        @Nullable Instant ofAll = before(now, RevocationTarget.ALL, "");
        @Nullable String identity = identityOf(principal);
        @Nullable Instant ofIdentity = identity == null ? null : before(now, RevocationTarget.SESSIONS_OF, identity);
        return ancestors.stream()
                .anyMatch(one ->
                        isBefore(one.issuedAt(), ofAll) || isBefore(one.issuedAt(), ofIdentity) || isRevoked(now, one));
    }

    private static @Nullable String identityOf(Principal principal) {
        return principal.role() == null ? principal.name() : principal.sourceIdentity();
    }

    private static boolean isRevoked(Map<RevocationTarget, Map<String, Instant>> now, SessionAncestor session) {
        Instant issuedAt = session.issuedAt();
        return isBefore(issuedAt, before(now, RevocationTarget.SESSION, session.accessKey()))
                || Principal.roleOfSession(session.principal())
                        .filter(role -> isBefore(issuedAt, before(now, RevocationTarget.ROLE, role))
                                || isBefore(issuedAt, before(now, RevocationTarget.SESSION, session.principal())))
                        .isPresent();
    }

    private @Nullable Instant before(RevocationTarget target, String name) {
        return before(inForce, target, name);
    }

    private static @Nullable Instant before(
            Map<RevocationTarget, Map<String, Instant>> of, RevocationTarget target, String name) {
        Map<String, Instant> names = of.get(target);
        return names == null ? null : names.get(name);
    }

    private static boolean isBefore(Instant issuedAt, @Nullable Instant revoked) {
        return revoked != null && !issuedAt.isAfter(revoked);
    }
}
