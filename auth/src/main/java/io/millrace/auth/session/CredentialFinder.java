package io.millrace.auth.session;

import io.millrace.auth.RequestVerificationException;
import io.millrace.auth.RequestVerificationException.Code;
import io.millrace.auth.identity.Credential;
import io.millrace.auth.identity.IdentityRegistry;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Finds the credential that a request names: that of an identity, or with a session token that of a session.
 * Thread-safe; does no I/O.
 */
public final class CredentialFinder {
    private final IdentityRegistry identities;
    private final Optional<Sessions> sessions;

    /** @param sessions empty if no session is accepted */
    public CredentialFinder(IdentityRegistry identities, Optional<Sessions> sessions) {
        this.identities = identities;
        this.sessions = sessions;
    }

    /**
     * Returns the credential, or {@link Credential#isUnknown a placeholder} whose signatures are never valid.
     *
     * @param token null if the request has none
     * @throws RequestVerificationException if the token is invalid or has expired
     */
    public Credential find(String accessKey, @Nullable String token) throws RequestVerificationException {
        if (token == null) {
            return identities.find(accessKey);
        }
        if (sessions.isPresent()) {
            return sessions.get().find(accessKey, token);
        }
        throw new RequestVerificationException(Code.INVALID_TOKEN, "Session tokens are not issued here.");
    }
}
