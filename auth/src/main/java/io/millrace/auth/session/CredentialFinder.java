package io.millrace.auth.session;

import io.millrace.auth.RequestVerificationException;
import io.millrace.auth.RequestVerificationException.Code;
import io.millrace.auth.identity.Credential;
import io.millrace.auth.identity.IdentityRegistry;
import io.millrace.auth.policy.Principal;
import io.millrace.auth.revocation.Revocations;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Finds the credential that a request names: that of an identity, or with a session token that of a session.
 * Thread-safe; does no I/O.
 */
public final class CredentialFinder {
    private final IdentityRegistry identities;
    private final Optional<Sessions> sessions;
    private final Revocations revocations;

    /** @param sessions empty if no session is accepted */
    public CredentialFinder(IdentityRegistry identities, Optional<Sessions> sessions, Revocations revocations) {
        this.identities = identities;
        this.sessions = sessions;
        this.revocations = revocations;
    }

    /** Creates a finder of identities only, of which none is revoked. */
    public static CredentialFinder of(IdentityRegistry identities) {
        return new CredentialFinder(identities, Optional.empty(), new Revocations());
    }

    /** Returns whether session tokens are accepted. */
    public boolean acceptsTokens() {
        return sessions.isPresent();
    }

    /**
     * Returns the credential, or {@link Credential#isUnknown a placeholder} whose signatures are never valid.
     *
     * @param token null if the request has none
     * @throws RequestVerificationException if the credential is revoked, or the token is invalid or has expired
     */
    public Credential find(String accessKey, @Nullable String token) throws RequestVerificationException {
        if (token == null) {
            Credential credential = identities.find(accessKey);
            requireUnrevoked(credential.principal(), Instant.MAX);
            return credential;
        }
        if (sessions.isPresent()) {
            return sessions.get().find(accessKey, token, revocations);
        }
        throw new RequestVerificationException(Code.INVALID_TOKEN, "Session tokens are not issued here.");
    }

    /**
     * Refuses what a principal has signed if it is revoked.
     *
     * @throws RequestVerificationException of code REVOKED
     */
    public void requireUnrevoked(Principal principal, Instant signedAt) throws RequestVerificationException {
        if (revocations.isRevoked(principal, signedAt)) {
            throw revoked();
        }
    }

    /** Returns the refusal of revoked credentials. */
    static RequestVerificationException revoked() {
        return new RequestVerificationException(
                Code.REVOKED, "The credentials of this request were revoked by an operator.");
    }
}
