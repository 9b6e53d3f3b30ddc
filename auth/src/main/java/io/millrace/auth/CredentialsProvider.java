package io.millrace.auth;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Source of credentials, such as the identities in the settings, or the tokens of sessions. Thread-safe; does no I/O,
 * because event loops ask it for each request.
 */
public interface CredentialsProvider {
    /**
     * Returns the credential that a request names; empty if it is not of this source. Whoever asks refuses it if it has
     * expired or is revoked.
     *
     * @param token the session token; null if the request has none
     * @throws RequestVerificationException if the credential is of this source, and has ended for a reason of its own
     */
    Optional<Credential> find(String accessKey, @Nullable String token) throws RequestVerificationException;

    /**
     * Returns the credential of the principal with this name, for what outlasts a request, such as a job or a session;
     * empty if the principal has ended. The jobs of a principal that no source knows fail.
     */
    default Optional<Credential> named(String principal) {
        return Optional.empty();
    }
}
