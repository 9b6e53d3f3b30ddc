package io.millrace.auth.session;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.millrace.auth.RequestVerificationException;
import io.millrace.auth.RequestVerificationException.Code;
import io.millrace.auth.identity.Credential;
import io.millrace.auth.policy.Principal;
import io.millrace.auth.revocation.Revocations;
import io.millrace.config.Secret;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * Issues temporary credentials of roles and identities and finds them again by access key and session token. It stores nothing: a token
 * holds its session, encrypted. Thread-safe; does no I/O.
 */
public final class Sessions {
    /** Start of a temporary access key, as AWS has it; clients tell by it that a token is needed. */
    private static final String PREFIX = "ASIA";

    private static final String ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
    private static final int RANDOM_CHARACTERS = 16;
    private static final int SECRET_BYTES = 30;

    /** Limit of decrypted tokens in memory; others are decrypted again. */
    private static final int OPENED = 10_000;

    /** So many others a token with a policy of its own displaces: its patterns, which a client writes, may take half a megabyte. */
    private static final int LIMITED_WEIGHT = 200;

    private final SessionTokenSealer sealer;
    private final RoleRegistry roles;
    private final Function<String, Optional<Credential>> identities;
    private final InstantSource clock;
    private final SecureRandom random = new SecureRandom();
    private final Cache<String, OpenedSession> opened = Caffeine.newBuilder()
            .maximumWeight(OPENED)
            .weigher((String token, OpenedSession session) ->
                    session.credential().principal().isLimited() ? LIMITED_WEIGHT : 1)
            .executor(Runnable::run)
            .build();

    /**
     * @param keys at least one; the first encrypts new tokens, all decrypt
     * @param roles those whose sessions are valid
     * @param identities finds the key pair of an identity by its name; a session ends with the one that it was made with
     */
    public Sessions(
            List<SessionKey> keys,
            RoleRegistry roles,
            Function<String, Optional<Credential>> identities,
            InstantSource clock) {
        this.sealer = new SessionTokenSealer(keys);
        this.roles = roles;
        this.identities = identities;
        this.clock = clock;
    }

    /**
     * Issues credentials that are valid for {@code duration}. The caller has decided that they may be issued.
     *
     * @throws IllegalArgumentException if the token would be too long
     */
    public SessionCredentials issue(SessionGrant grant, Duration duration) {
        // Milliseconds, so that what is issued right after a revocation is not revoked.
        Instant now = clock.instant().truncatedTo(ChronoUnit.MILLIS);
        String accessKey = accessKey();
        String fingerprint = identities
                .apply(grant.sourceIdentity())
                .map(identity -> identity.fingerprint(accessKey))
                .orElse("");
        Session session = new Session(
                grant, fingerprint, now, now.truncatedTo(ChronoUnit.SECONDS).plus(duration));
        String secretKey = secretKey();
        String token = sealer.seal(accessKey, new SessionTokenSealer.Content(secretKey, session));
        return new SessionCredentials(accessKey, Secret.of(secretKey), Secret.of(token), session.expiresAt());
    }

    /**
     * Returns the credential that a token holds. Clock and revocations decide at each call whether it has ended.
     *
     * @throws RequestVerificationException of code INVALID_TOKEN, EXPIRED_TOKEN or REVOKED
     */
    Credential find(String accessKey, String token, Revocations revocations) throws RequestVerificationException {
        OpenedSession session = opened.getIfPresent(token);
        if (session == null) {
            session = open(accessKey, token);
            opened.put(token, session);
        }
        if (!session.credential().accessKey().equals(accessKey)) {
            throw new RequestVerificationException(Code.INVALID_TOKEN, "The token is not that of the access key.");
        }
        if (!clock.instant().isBefore(session.expiresAt())) {
            throw new RequestVerificationException(Code.EXPIRED_TOKEN, "The provided token has expired.");
        }
        if (revocations.isRevoked(session.credential().principal(), accessKey, session.issuedAt())) {
            throw CredentialFinder.revoked();
        }
        return session.credential();
    }

    private OpenedSession open(String accessKey, String token) throws RequestVerificationException {
        SessionTokenSealer.Content content = sealer.open(accessKey, token).orElseThrow(Sessions::invalid);
        Session session = content.session();
        Principal principal = principalOf(session.grant(), session.fingerprint(), accessKey);
        return new OpenedSession(
                new Credential(accessKey, content.secretKey(), principal), session.issuedAt(), session.expiresAt());
    }

    private Principal principalOf(SessionGrant grant, String fingerprint, String accessKey)
            throws RequestVerificationException {
        if (grant.sourceIdentity().isEmpty()) {
            return roles.principalOf(grant).orElseThrow(Sessions::invalid);
        }
        Credential identity = identities.apply(grant.sourceIdentity()).orElseThrow(Sessions::invalid);
        if (!identity.fingerprint(accessKey).equals(fingerprint)) {
            throw new RequestVerificationException(
                    Code.EXPIRED_TOKEN,
                    "The session has ended: the keys of the identity that it was made with were replaced.");
        }
        return grant.role().isEmpty()
                ? identity.principal()
                : roles.principalOf(grant).orElseThrow(Sessions::invalid);
    }

    private static RequestVerificationException invalid() {
        return new RequestVerificationException(
                Code.INVALID_TOKEN, "The provided token is malformed or otherwise invalid.");
    }

    private String accessKey() {
        StringBuilder key = new StringBuilder(PREFIX);
        for (int i = 0; i < RANDOM_CHARACTERS; i++) {
            key.append(ALPHABET.charAt(random.nextInt(ALPHABET.length())));
        }
        return key.toString();
    }

    private String secretKey() {
        byte[] bytes = new byte[SECRET_BYTES];
        random.nextBytes(bytes);
        return Base64.getEncoder().encodeToString(bytes);
    }

    private record OpenedSession(Credential credential, Instant issuedAt, Instant expiresAt) {}
}
