package io.millrace.auth.session;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.millrace.auth.Credential;
import io.millrace.auth.CredentialsProvider;
import io.millrace.auth.RequestVerificationException;
import io.millrace.auth.RequestVerificationException.Code;
import io.millrace.auth.policy.Principal;
import io.millrace.config.Secret;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Issues temporary credentials of roles and identities and finds them again by access key and session token. It stores
 * nothing: a token holds its session, encrypted. Thread-safe; does no I/O.
 */
public final class Sessions implements CredentialsProvider {
    /** Start of a temporary access key, as AWS has it; clients tell by it that a token is needed. */
    private static final String PREFIX = "ASIA";

    /** Start of the access key of a browser's session, whose secret key nobody has: only its cookie proves it. */
    private static final String BROWSER_PREFIX = "MRWB";

    private static final char SEPARATOR = '.';

    /** Browsers drop longer cookies, counting the name. */
    private static final int LONGEST_COOKIE = 3800;

    private static final String ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
    private static final int RANDOM_CHARACTERS = 16;
    private static final int SECRET_BYTES = 30;

    /** Limit of decrypted tokens in memory; others are decrypted again. */
    private static final int OPENED = 10_000;

    /**
     * So many others a token with a policy of its own displaces: its patterns, which a client writes, may take half a
     * megabyte.
     */
    private static final int LIMITED_WEIGHT = 200;

    private final Supplier<List<SessionKey>> keys;
    private final RoleRegistry roles;
    private final CredentialsProvider identities;
    private final Optional<SignInSettings> signIn;
    private final InstantSource clock;
    private final SecureRandom random = new SecureRandom();
    private volatile OpenedTokens opened;

    /**
     * @param keys returns at least one: the first encrypts, all decrypt. Another list ends the tokens of keys that it
     *     lacks
     * @param roles those whose sessions are valid
     * @param identities those whose sessions are valid, as long as they have the key pair that a session was made with
     * @param signIn by which sessions of people are valid; empty if none are
     */
    public Sessions(
            Supplier<List<SessionKey>> keys,
            RoleRegistry roles,
            CredentialsProvider identities,
            Optional<SignInSettings> signIn,
            InstantSource clock) {
        this.keys = keys;
        this.opened = new OpenedTokens(keys.get());
        this.roles = roles;
        this.identities = identities;
        this.signIn = signIn;
        this.clock = clock;
    }

    /**
     * Issues credentials that are valid for {@code duration}. The caller has decided that they may be issued.
     *
     * @throws IllegalArgumentException if the token would be too long
     */
    public SessionCredentials issue(SessionGrant grant, Duration duration) {
        return issue(PREFIX, grant, duration);
    }

    /**
     * Issues a session to a browser, as {@link #issue}. Its cookie alone proves it, so it is none that clients of S3
     * send.
     *
     * @throws IllegalArgumentException if the cookie would be too long
     */
    public BrowserSession issueToBrowser(SessionGrant grant, Duration duration) {
        SessionCredentials issued = issue(BROWSER_PREFIX, grant, duration);
        String cookie = issued.accessKey() + SEPARATOR + issued.token().reveal();
        if (cookie.length() > LONGEST_COOKIE) {
            throw new IllegalArgumentException("the session is too long");
        }
        return new BrowserSession(issued.accessKey(), Secret.of(cookie), issued.expiresAt());
    }

    /**
     * Finds the credential that a browser's cookie proves.
     *
     * @throws RequestVerificationException if it is none, has expired or is revoked
     */
    public static Credential ofBrowser(String cookie, CredentialFinder credentials)
            throws RequestVerificationException {
        int end = cookie.indexOf(SEPARATOR);
        // A token of STS is known to all who see a request with it, so it must not serve as a cookie.
        if (end < 0 || !cookie.startsWith(BROWSER_PREFIX) || cookie.length() > LONGEST_COOKIE) {
            throw new RequestVerificationException(Code.INVALID_TOKEN, "The cookie is not one of a session.");
        }
        return credentials.find(cookie.substring(0, end), cookie.substring(end + 1));
    }

    private SessionCredentials issue(String prefix, SessionGrant grant, Duration duration) {
        // Milliseconds, so that what is issued right after a revocation is not revoked.
        Instant now = clock.instant().truncatedTo(ChronoUnit.MILLIS);
        String accessKey = accessKey(prefix);
        String fingerprint = identities
                .named(grant.sourceIdentity())
                .map(identity -> identity.fingerprint(accessKey))
                .orElse("");
        Session session = new Session(
                grant, fingerprint, now, now.truncatedTo(ChronoUnit.SECONDS).plus(duration));
        String secretKey = secretKey();
        String token = opened().sealer.seal(accessKey, new SessionTokenSealer.Content(secretKey, session));
        return new SessionCredentials(accessKey, Secret.of(secretKey), Secret.of(token), session.expiresAt());
    }

    @Override
    public Optional<Credential> find(String accessKey, @Nullable String token) throws RequestVerificationException {
        if (token == null) {
            return Optional.empty();
        }
        OpenedTokens known = opened();
        Credential session = known.credentials.getIfPresent(token);
        if (session == null) {
            session = open(known.sealer, accessKey, token);
            if (session == null) {
                return Optional.empty();
            }
            known.credentials.put(token, session);
        }
        return session.accessKey().equals(accessKey) ? Optional.of(session) : Optional.empty();
    }

    /**
     * Returns a person, with the rights that the role has now, for jobs that outlast the session. Nobody can sign as
     * it.
     */
    @Override
    public Optional<Credential> named(String principal) {
        return Principal.roleOfPerson(principal)
                .flatMap(role -> roles.principalOf(
                        SessionGrant.toWebIdentity(role, principal.substring(principal.lastIndexOf('/') + 1), "", "")))
                .map(person -> new Credential("", secretKey(), person));
    }

    private OpenedTokens opened() {
        OpenedTokens known = opened;
        List<SessionKey> now = keys.get();
        if (known.keys != now) {
            known = new OpenedTokens(now);
            opened = known;
        }
        return known;
    }

    private @Nullable Credential open(SessionTokenSealer sealer, String accessKey, String token)
            throws RequestVerificationException {
        SessionTokenSealer.Content content = sealer.open(accessKey, token).orElse(null);
        if (content == null) {
            return null;
        }
        Session session = content.session();
        return principalOf(session, accessKey)
                .map(principal -> new Credential(
                        accessKey,
                        content.secretKey(),
                        principal,
                        session.issuedAt(),
                        session.expiresAt(),
                        session.grant().ancestors()))
                .orElse(null);
    }

    /** Returns the principal of a session; empty if its role, its identity or the sign-in of its person is gone. */
    private Optional<Principal> principalOf(Session session, String accessKey) throws RequestVerificationException {
        SessionGrant grant = session.grant();
        if (grant.sourceIdentity().isEmpty()) {
            Optional<String> issuer = grant.issuerOfPerson();
            return issuer.isEmpty()
                            || signIn.filter(one -> one.admits(issuer.get(), grant.role()))
                                    .isPresent()
                    ? roles.principalOf(grant)
                    : Optional.empty();
        }
        Optional<Credential> identity = identities.named(grant.sourceIdentity());
        if (identity.isEmpty()) {
            return Optional.empty();
        }
        if (!identity.get().fingerprint(accessKey).equals(session.fingerprint())) {
            throw new RequestVerificationException(
                    Code.EXPIRED_TOKEN,
                    "The session has ended: the keys of the identity that it was made with were replaced.");
        }
        return grant.role().isEmpty() ? identity.map(Credential::principal) : roles.principalOf(grant);
    }

    private String accessKey(String prefix) {
        StringBuilder key = new StringBuilder(prefix);
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

    /** The credentials of tokens that some keys have decrypted. */
    private static final class OpenedTokens {
        final List<SessionKey> keys;
        final SessionTokenSealer sealer;
        final Cache<String, Credential> credentials = Caffeine.newBuilder()
                .maximumWeight(OPENED)
                .weigher((String token, Credential session) ->
                        session.principal().isLimited() ? LIMITED_WEIGHT : 1)
                .executor(Runnable::run)
                .build();

        OpenedTokens(List<SessionKey> keys) {
            this.keys = keys;
            this.sealer = new SessionTokenSealer(keys);
        }
    }
}
