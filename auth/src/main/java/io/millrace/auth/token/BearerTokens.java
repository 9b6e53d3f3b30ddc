package io.millrace.auth.token;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.crypto.MACSigner;
import com.nimbusds.jose.crypto.MACVerifier;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.SignedJWT;
import io.millrace.auth.AuthException;
import io.millrace.auth.AuthException.Code;
import io.millrace.auth.AuthSettings;
import io.millrace.auth.identity.Credential;
import io.millrace.auth.identity.IdentityRegistry;
import io.millrace.auth.policy.Principal;
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
 * Bearer tokens of the control plane, for those who cannot sign requests: a JWT made of an access key and its secret, good for
 * {@link #LONGEST} at most. Whoever has the key makes them, nothing is kept of them here, and another secret ends them all.
 * Thread-safe; looks in memory only.
 *
 * <p>Their key is derived from the secret, so that what they show of it says nothing of SigV4's keys.
 *
 * @see <a href="https://www.rfc-editor.org/rfc/rfc7519">RFC 7519, JSON Web Token</a>
 */
public final class BearerTokens {
    /** A working day: a token that somebody has seen is not good for ever. */
    public static final Duration LONGEST = Duration.ofHours(12);

    /** No token of ours is longer than 400; a stranger's is not parsed beyond this. */
    static final int MOST_CHARACTERS = 4096;

    static final String AUDIENCE = "millrace";

    /** What a token is good for. */
    public enum Use {
        /** All that its key is. */
        API(AUDIENCE, LONGEST),

        /**
         * Event notifications, and nothing else: whoever posts them sends one fixed field for ever. All that can be done with it is to
         * make the gateway ask again.
         */
        NOTIFICATIONS("millrace-notifications", Duration.ofDays(366));

        private final String audience;
        private final Duration longest;

        Use(String audience, Duration longest) {
            this.audience = audience;
            this.longest = longest;
        }

        /** How long such a token is good at most. */
        public Duration longest() {
            return longest;
        }
    }

    /** The last part is 256 bits, which leaves nothing to parse of an unsigned token. */
    private static final Pattern FORM = Pattern.compile("[A-Za-z0-9_-]+\\.[A-Za-z0-9_-]+\\.[A-Za-z0-9_-]{43}");

    /** Any other would want to be heeded. */
    private static final Set<String> HEADER_FIELDS = Set.of("alg", "typ");

    private final IdentityRegistry identities;
    private final Duration skew;
    private final InstantSource clock;

    /** What verifies tokens of these identities; clocks may differ as much as they may for signatures. */
    public BearerTokens(IdentityRegistry identities, AuthSettings settings, InstantSource clock) {
        this.identities = identities;
        this.skew = settings.clockSkew();
        this.clock = clock;
    }

    /**
     * A token that speaks for whoever has {@code accessKey}.
     *
     * @param lifetime of a second at least, {@link #LONGEST} at most
     * @throws IllegalArgumentException for another
     */
    public static String make(String accessKey, Secret secretKey, Duration lifetime, Instant now) {
        return make(Use.API, accessKey, secretKey, lifetime, now);
    }

    /** The same for another use, with its own longest lifetime. */
    public static String make(Use use, String accessKey, Secret secretKey, Duration lifetime, Instant now) {
        if (lifetime.toSeconds() < 1 || lifetime.compareTo(use.longest()) > 0) {
            throw new IllegalArgumentException("a token is good for 1 second to %d hours"
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
            token.sign(new MACSigner(TokenSigningKey.of(secretKey.reveal())));
        } catch (JOSEException e) {
            throw new IllegalStateException("every JDK has HMAC with SHA-256", e);
        }
        return token.serialize();
    }

    /**
     * Whoever made {@code token}.
     *
     * @throws AuthException of code INVALID_TOKEN, or EXPIRED
     */
    public Principal verify(String token) throws AuthException {
        return verify(token, Set.of(Use.API));
    }

    /**
     * The same where it may be one of some uses.
     *
     * @throws AuthException of code INVALID_TOKEN, or EXPIRED
     */
    public Principal verify(String token, Set<Use> uses) throws AuthException {
        SignedJWT parsed = parse(token);
        JWTClaimsSet claims = claims(parsed);
        Credential credential = identities.find(orEmpty(claims.getSubject()));
        if (!isSigned(parsed, credential) || credential.isUnknown()) {
            throw invalid("it is not signed with the secret of the access key it names");
        }
        Use use = uses.stream()
                .filter(one -> claims.getAudience().equals(List.of(one.audience)))
                .findFirst()
                .orElseThrow(() -> invalid("its audience is not " + AUDIENCE));
        requireTime(claims, use.longest(), clock.instant());
        return credential.principal();
    }

    private static SignedJWT parse(String token) throws AuthException {
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
                throw invalid("its header is to be alg HS256 and typ JWT, and nothing else");
            }
            return parsed;
        } catch (ParseException | RuntimeException e) {
            // The library falls over some of what strangers send, as a header that is null.
            throw noToken();
        }
    }

    private static JWTClaimsSet claims(SignedJWT token) throws AuthException {
        try {
            @Nullable JWTClaimsSet claims = token.getJWTClaimsSet();
            if (claims != null) {
                return claims;
            }
        } catch (ParseException | RuntimeException e) {
            // As one without claims.
        }
        throw noToken();
    }

    private static boolean isSigned(SignedJWT token, Credential credential) {
        try {
            return token.verify(new MACVerifier(TokenSigningKey.of(credential.secret())));
        } catch (JOSEException e) {
            return false;
        }
    }

    private void requireTime(JWTClaimsSet claims, Duration longest, Instant now) throws AuthException {
        @Nullable Instant begin = instant(claims.getIssueTime());
        @Nullable Instant end = instant(claims.getExpirationTime());
        if (begin == null || end == null) {
            throw invalid("it does not tell when it was made (iat) and when it ends (exp)");
        }
        if (!end.isAfter(begin) || Duration.between(begin, end).compareTo(longest) > 0) {
            throw invalid("it is not good for up to " + longest.toHours() + " hours from when it was made");
        }
        @Nullable Instant notBefore = instant(claims.getNotBeforeTime());
        if (begin.isAfter(now.plus(skew)) || (notBefore != null && notBefore.isAfter(now.plus(skew)))) {
            throw invalid("it is of the future; check the clock of who made it");
        }
        if (!end.plus(skew).isAfter(now)) {
            throw new AuthException(Code.EXPIRED, "The token expired at " + end + "; make another.");
        }
    }

    private static @Nullable Instant instant(@Nullable Date date) {
        return date == null ? null : date.toInstant();
    }

    private static String orEmpty(@Nullable String text) {
        return text == null ? "" : text;
    }

    private static AuthException noToken() {
        return invalid("it is no JSON Web Token signed with HS256");
    }

    private static AuthException invalid(String why) {
        return new AuthException(Code.INVALID_TOKEN, "The bearer token is not valid: " + why + '.');
    }
}
