package io.millrace.auth.session;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.crypto.MACSigner;
import com.nimbusds.jose.crypto.MACVerifier;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.SignedJWT;
import io.millrace.auth.Credential;
import io.millrace.auth.RequestVerificationException;
import io.millrace.auth.RequestVerificationException.Code;
import io.millrace.auth.SecretDerivation;
import io.millrace.auth.SignatureSettings;
import io.millrace.config.Secret;
import java.text.ParseException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.Date;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Creates and verifies bearer tokens (JWT), for clients of the control API and senders of event notifications that
 * cannot sign requests. A token is made from an access key and its secret key, and is valid for {@link #LONGEST} at
 * most, or {@link Use#longest} for notifications. Every owner of a key pair can create tokens offline; the server
 * stores none, and a new secret key invalidates all of them. Thread-safe; does no I/O.
 *
 * <p>The key that signs tokens is derived from the secret key, so that a token reveals nothing about SigV4's keys.
 *
 * @see <a href="https://www.rfc-editor.org/rfc/rfc7519">RFC 7519, JSON Web Token</a>
 */
public final class BearerTokens {
    /** Longest lifetime of an API token: a working day, because a leaked token should expire soon. */
    public static final Duration LONGEST = Duration.ofHours(12);

    /** Length limit in characters; valid tokens have at most 400, and a longer token is refused without parsing it. */
    static final int MOST_CHARACTERS = 4096;

    static final String AUDIENCE = "millrace";

    /** Purpose of the key that signs tokens, derived from a secret key. */
    private static final String PURPOSE = "millrace bearer token 1";

    /** Purpose of a token, stated as its audience. */
    public enum Use {
        /** All requests that its key pair may make. */
        API(AUDIENCE, LONGEST),

        /**
         * Event notifications only. Senders of notifications use one fixed token for a long time, so it must not allow
         * more: it can only make the gateway revalidate.
         */
        NOTIFICATIONS("millrace-notifications", Duration.ofDays(366));

        private final String audience;
        private final Duration longest;

        Use(String audience, Duration longest) {
            this.audience = audience;
            this.longest = longest;
        }

        /** Returns the longest lifetime of such a token. */
        public Duration longest() {
            return longest;
        }
    }

    /** The signature has 256 bits, so unsigned tokens are refused without parsing them. */
    private static final Pattern FORM = Pattern.compile("[A-Za-z0-9_-]+\\.[A-Za-z0-9_-]+\\.[A-Za-z0-9_-]{43}");

    /** Header fields of a valid token. Any other would change how the token is to be verified. */
    private static final Set<String> HEADER_FIELDS = Set.of("alg", "typ");

    private final CredentialFinder credentials;
    private final Duration skew;
    private final InstantSource clock;

    /**
     * Creates a verifier for tokens made with these credentials; {@link SignatureSettings#clockSkew} applies to tokens,
     * too.
     */
    public BearerTokens(CredentialFinder credentials, SignatureSettings settings, InstantSource clock) {
        this.credentials = credentials;
        this.skew = settings.clockSkew();
        this.clock = clock;
    }

    /**
     * Creates an API token for the owner of {@code accessKey}.
     *
     * @param lifetime from 1 second to {@link #LONGEST}
     * @throws IllegalArgumentException if the lifetime is out of range
     */
    public static String make(String accessKey, Secret secretKey, Duration lifetime, Instant now) {
        return make(Use.API, accessKey, secretKey, lifetime, now);
    }

    /** Creates a token for {@code use}, whose longest lifetime applies. */
    public static String make(Use use, String accessKey, Secret secretKey, Duration lifetime, Instant now) {
        if (lifetime.toSeconds() < 1 || lifetime.compareTo(use.longest()) > 0) {
            throw new IllegalArgumentException("a token's lifetime is from 1 second to %d hours"
                    .formatted(use.longest().toHours()));
        }
        Instant begin = now.truncatedTo(ChronoUnit.SECONDS);
        JWTClaimsSet claims = new JWTClaimsSet.Builder()
                .subject(accessKey)
                .audience(use.audience)
                .issueTime(Date.from(begin))
                .expirationTime(Date.from(begin.plus(lifetime)))
                .build();
        SignedJWT token = new SignedJWT(new JWSHeader(JWSAlgorithm.HS256), claims);
        try {
            token.sign(new MACSigner(SecretDerivation.of(secretKey.reveal(), PURPOSE)));
        } catch (JOSEException e) {
            throw new IllegalStateException("every JDK has HMAC with SHA-256", e);
        }
        return token.serialize();
    }

    /**
     * Verifies an API token and returns the credential that it was made with, valid as long as the token.
     *
     * @throws RequestVerificationException of code INVALID_TOKEN, EXPIRED or REVOKED
     */
    public Credential verify(String token) throws RequestVerificationException {
        return verify(token, Set.of(Use.API));
    }

    /**
     * Verifies a token of one of these uses and returns the credential that it was made with, as issued when the token
     * was.
     *
     * @throws RequestVerificationException of code INVALID_TOKEN, EXPIRED or REVOKED
     */
    public Credential verify(String token, Set<Use> uses) throws RequestVerificationException {
        SignedJWT parsed = parse(token);
        JWTClaimsSet claims = claims(parsed);
        Credential credential = credentials.find(orEmpty(claims.getSubject()), null);
        if (!isSigned(parsed, credential) || credential.isUnknown()) {
            throw invalid("it is not signed with the secret of the access key it names");
        }
        Use use = uses.stream()
                .filter(one -> claims.getAudience().equals(List.of(one.audience)))
                .findFirst()
                .orElseThrow(() -> invalid("its audience is not " + AUDIENCE));
        Instant issuedAt = requireTime(claims, use.longest(), clock.instant());
        credentials.requireUnrevoked(credential, issuedAt);
        @Nullable Instant end = instant(claims.getExpirationTime());
        return credential.issuedAt(issuedAt).until(end == null ? issuedAt : end);
    }

    private static SignedJWT parse(String token) throws RequestVerificationException {
        if (token.length() > MOST_CHARACTERS) {
            throw invalid("it is longer than " + MOST_CHARACTERS + " characters");
        }
        if (!FORM.matcher(token).matches()) {
            throw noToken();
        }
        try {
            SignedJWT parsed = SignedJWT.parse(token);
            JWSHeader header = parsed.getHeader();
            if (!JWSAlgorithm.HS256.equals(header.getAlgorithm())
                    || !HEADER_FIELDS.containsAll(header.toJSONObject().keySet())) {
                throw invalid("its header must have alg HS256 and nothing else but typ JWT");
            }
            return parsed;
        } catch (ParseException | RuntimeException e) {
            // The library throws unchecked exceptions for some malformed tokens, such as one whose header is null.
            throw noToken();
        }
    }

    private static JWTClaimsSet claims(SignedJWT token) throws RequestVerificationException {
        try {
            @Nullable JWTClaimsSet claims = token.getJWTClaimsSet();
            if (claims != null) {
                return claims;
            }
        } catch (ParseException | RuntimeException e) {
            // Refused below, as a token without claims.
        }
        throw noToken();
    }

    private static boolean isSigned(SignedJWT token, Credential credential) {
        try {
            return token.verify(new MACVerifier(SecretDerivation.of(credential.secret(), PURPOSE)));
        } catch (JOSEException e) {
            return false;
        }
    }

    /** Requires that the token is valid now, and returns when it was issued. */
    private Instant requireTime(JWTClaimsSet claims, Duration longest, Instant now)
            throws RequestVerificationException {
        @Nullable Instant begin = instant(claims.getIssueTime());
        @Nullable Instant end = instant(claims.getExpirationTime());
        if (begin == null || end == null) {
            throw invalid("it does not state when it was issued (iat) and when it expires (exp)");
        }
        if (!end.isAfter(begin) || Duration.between(begin, end).compareTo(longest) > 0) {
            throw invalid("its lifetime from iat to exp is not up to " + longest.toHours() + " hours");
        }
        @Nullable Instant notBefore = instant(claims.getNotBeforeTime());
        if (begin.isAfter(now.plus(skew)) || (notBefore != null && notBefore.isAfter(now.plus(skew)))) {
            throw invalid("it is not valid yet; check the clock of the machine that created it");
        }
        if (!end.plus(skew).isAfter(now)) {
            throw new RequestVerificationException(Code.EXPIRED, "The token expired at " + end + "; create another.");
        }
        return begin;
    }

    private static @Nullable Instant instant(@Nullable Date date) {
        return date == null ? null : date.toInstant();
    }

    private static String orEmpty(@Nullable String text) {
        return text == null ? "" : text;
    }

    private static RequestVerificationException noToken() {
        return invalid("it is not a JSON Web Token signed with HS256");
    }

    private static RequestVerificationException invalid(String why) {
        return new RequestVerificationException(Code.INVALID_TOKEN, "The bearer token is not valid: " + why + '.');
    }
}
