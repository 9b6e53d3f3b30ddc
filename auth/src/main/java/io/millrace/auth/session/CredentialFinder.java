package io.millrace.auth.session;

import io.millrace.auth.Credential;
import io.millrace.auth.CredentialsProvider;
import io.millrace.auth.RequestVerificationException;
import io.millrace.auth.RequestVerificationException.Code;
import io.millrace.auth.policy.Principal;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Finds the credential that a request names, and the principal that a job names, among those of all sources; refuses
 * what has expired or is revoked. Thread-safe; does no I/O.
 */
public final class CredentialFinder {
    private final List<CredentialsProvider> sources;
    private final Revocations revocations;
    private final InstantSource clock;

    /**
     * Placeholder for an unknown key, so that verification takes as long for an unknown key as for a wrong signature.
     */
    private final Credential nobody = new Credential("", UUID.randomUUID().toString(), Principal.ANONYMOUS);

    /** @param sources the first that has a credential decides */
    public CredentialFinder(List<CredentialsProvider> sources, Revocations revocations, InstantSource clock) {
        this.sources = List.copyOf(sources);
        this.revocations = revocations;
        this.clock = clock;
    }

    /** Creates a finder in one source, of which nothing is revoked. */
    public static CredentialFinder of(CredentialsProvider source, InstantSource clock) {
        return new CredentialFinder(List.of(source), new Revocations(), clock);
    }

    /**
     * Returns the credential, or {@link Credential#isUnknown a placeholder} whose signatures are never valid.
     *
     * @param token null if the request has none
     * @throws RequestVerificationException if the credential has expired or is revoked, or the token is invalid
     */
    public Credential find(String accessKey, @Nullable String token) throws RequestVerificationException {
        for (CredentialsProvider source : sources) {
            Optional<Credential> found = source.find(accessKey, token);
            if (found.isPresent()) {
                requireUnexpired(found.get());
                requireUnrevoked(found.get(), Instant.MAX);
                return found.get();
            }
        }
        if (token != null) {
            throw new RequestVerificationException(
                    Code.INVALID_TOKEN,
                    "The provided token is malformed, not one of this access key, or of a role or an identity that is"
                            + " not in the settings.");
        }
        return nobody;
    }

    /**
     * Refuses what a credential has signed if it is revoked.
     *
     * @param signedAt {@link Instant#MAX} for what was signed for this moment only
     * @throws RequestVerificationException of code REVOKED
     */
    public void requireUnrevoked(Credential credential, Instant signedAt) throws RequestVerificationException {
        Instant issuedAt = credential.issuedAt().isBefore(signedAt) ? credential.issuedAt() : signedAt;
        if (revocations.isRevoked(credential.principal(), credential.accessKey(), issuedAt)
                || revocations.isAnyRevoked(credential.principal(), credential.ancestors())) {
            throw new RequestVerificationException(
                    Code.REVOKED, "The credentials of this request were revoked by an operator.");
        }
    }

    /** Returns the principal with this name; empty if it has ended. Jobs run on after the request that started them. */
    public Optional<Principal> named(String principal) {
        for (CredentialsProvider source : sources) {
            Optional<Credential> found = source.named(principal);
            if (found.isPresent()) {
                return found.map(Credential::principal);
            }
        }
        return Optional.empty();
    }

    /** Returns whether what a principal was issued or has submitted at a time is revoked. */
    public boolean isRevoked(Principal principal, Instant at) {
        return revocations.isRevoked(principal, at);
    }

    private void requireUnexpired(Credential credential) throws RequestVerificationException {
        if (!credential.expiresAt().equals(Instant.MAX) && !clock.instant().isBefore(credential.expiresAt())) {
            throw new RequestVerificationException(Code.EXPIRED_TOKEN, "The provided token has expired.");
        }
    }
}
