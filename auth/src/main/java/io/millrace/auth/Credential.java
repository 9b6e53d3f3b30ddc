package io.millrace.auth;

import io.millrace.auth.policy.Principal;
import java.time.Instant;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;

/**
 * An access key, its secret key and the principal that signs with them, until it expires.
 *
 * @param accessKey empty in the placeholder for unknown access keys
 * @param secret the secret key; never printed
 * @param principal owner of the key pair
 * @param issuedAt revocations of what was issued before do not end it; {@link Instant#MAX} for keys in settings
 * @param expiresAt first instant at which it is refused; {@link Instant#MAX} for keys in settings
 * @param ancestors the sessions by which it was assumed, one after another
 */
public record Credential(
        String accessKey,
        String secret,
        Principal principal,
        Instant issuedAt,
        Instant expiresAt,
        List<SessionAncestor> ancestors) {
    private static final int FINGERPRINT_BYTES = 8;

    public Credential {
        ancestors = List.copyOf(ancestors);
    }

    /** Creates a credential that no session has assumed. */
    public Credential(String accessKey, String secret, Principal principal, Instant issuedAt, Instant expiresAt) {
        this(accessKey, secret, principal, issuedAt, expiresAt, List.of());
    }

    /** Creates a credential without times. */
    public Credential(String accessKey, String secret, Principal principal) {
        this(accessKey, secret, principal, Instant.MAX, Instant.MAX);
    }

    /** Returns this credential as what was made with it at a time. */
    public Credential issuedAt(Instant time) {
        return new Credential(accessKey, secret, principal, time, expiresAt, ancestors);
    }

    /** Returns this credential as one that is valid until a time, if not shorter. */
    public Credential until(Instant time) {
        return new Credential(
                accessKey, secret, principal, issuedAt, time.isBefore(expiresAt) ? time : expiresAt, ancestors);
    }

    /**
     * Returns the ancestors of a session that is assumed with this credential: its own, and itself if it is one of a
     * session.
     */
    public List<SessionAncestor> lineage() {
        return issuedAt.equals(Instant.MAX)
                ? ancestors
                : Stream.concat(
                                ancestors.stream(),
                                Stream.of(new SessionAncestor(accessKey, principal.name(), issuedAt)))
                        .toList();
    }

    /** Returns whether this is the placeholder for unknown access keys, whose signatures are never valid. */
    public boolean isUnknown() {
        return accessKey.isEmpty();
    }

    /**
     * Returns a short fingerprint of this key pair, by which a session remembers what it was made with. Each session
     * has another, so that tokens do not tell which were made with the same secret key.
     *
     * @param session the access key of the session
     */
    public String fingerprint(String session) {
        byte[] derived = SecretDerivation.of(secret, "millrace session 1 " + accessKey + ' ' + session);
        return HexFormat.of().formatHex(derived, 0, FINGERPRINT_BYTES);
    }

    @Override
    public String toString() {
        return "Credential[" + accessKey + " of " + principal.name() + ']';
    }
}
