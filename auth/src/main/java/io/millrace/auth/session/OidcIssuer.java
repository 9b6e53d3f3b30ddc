package io.millrace.auth.session;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.jwk.JWK;
import com.nimbusds.jose.jwk.JWKMatcher;
import com.nimbusds.jose.jwk.JWKSelector;
import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.jwk.RSAKey;
import com.nimbusds.jose.jwk.source.ImmutableJWKSet;
import com.nimbusds.jose.proc.BadJOSEException;
import com.nimbusds.jose.proc.JWSVerificationKeySelector;
import com.nimbusds.jose.proc.SecurityContext;
import com.nimbusds.jose.util.JSONObjectUtils;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.SignedJWT;
import com.nimbusds.jwt.proc.DefaultJWTClaimsVerifier;
import com.nimbusds.jwt.proc.DefaultJWTProcessor;
import com.nimbusds.jwt.proc.ExpiredJWTException;
import io.millrace.auth.session.WebIdentityException.Reason;
import io.millrace.kit.async.SingleFlight;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.text.ParseException;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Date;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Mono;

/**
 * One identity provider: its keys, which are fetched when its first token arrives, and the rules for its tokens.
 * Thread-safe; never blocks, and one provider that hangs delays nothing of another.
 *
 * @see <a href="https://openid.net/specs/openid-connect-discovery-1_0.html">OpenID Connect Discovery</a>
 */
final class OidcIssuer {
    private static final Logger log = LoggerFactory.getLogger(OidcIssuer.class);

    /** Asymmetric algorithms only: with HMAC, everyone who knows the public key could sign. */
    private static final Set<JWSAlgorithm> ALGORITHMS = algorithms();

    /** The shortest RSA key whose signatures count: of a shorter one the private key may be computed. */
    private static final int SHORTEST_RSA_BITS = 2048;

    private static final int CLOCK_SKEW_SECONDS = 60;
    private static final int LONGEST_SUBJECT = 255;

    private final IssuerSettings settings;
    private final InstantSource clock;
    private final IssuerKeys keys;
    private final SingleFlight<Class<?>, Map<String, Object>> discoveries = new SingleFlight<>();
    private volatile @Nullable Map<String, Object> discovered;
    private volatile Instant discoverFrom = Instant.MIN;

    OidcIssuer(IssuerSettings settings, InstantSource clock) {
        this.settings = settings;
        this.clock = clock;
        this.keys = new IssuerKeys(
                Mono.defer(this::discovered).flatMap(this::fetchKeys).map(this::keySet), clock);
    }

    /** The endpoints of the provider at which people sign in. */
    record Document(URI authorizationEndpoint, URI tokenEndpoint) {}

    /**
     * Returns the endpoints at which people sign in; fails for the reason ISSUER_UNREACHABLE if the provider has none
     * that are safe.
     */
    Mono<Document> document() {
        return discovered().map(this::endpoints);
    }

    private Document endpoints(Map<String, Object> fields) {
        try {
            URI authorization = JSONObjectUtils.getURI(fields, "authorization_endpoint");
            URI token = JSONObjectUtils.getURI(fields, "token_endpoint");
            if (authorization != null
                    && isAsSafe(authorization)
                    && authorization.getRawFragment() == null
                    && token != null
                    && isAsSafe(token)) {
                return new Document(authorization, token);
            }
        } catch (ParseException e) {
            // Refused below, as without endpoints.
        }
        throw new WebIdentityException(
                Reason.ISSUER_UNREACHABLE, "The identity provider states no endpoints for signing in.");
    }

    /** Posts a form to the provider and returns the JSON of its response; empty if it refuses the form. */
    Mono<Map<String, Object>> post(URI endpoint, String form, Optional<String> authorization) {
        return IssuerHttpClient.post(endpoint, form, authorization).map(OidcIssuer::json);
    }

    /**
     * Returns whom a token names; fails with a WebIdentityException if it is not accepted.
     *
     * @param network that of the client, which is counted while the token waits for keys
     */
    Mono<WebIdentity> verify(SignedJWT token, long network) {
        if (!ALGORITHMS.contains(token.getHeader().getAlgorithm())) {
            return Mono.error(OidcIssuer::invalid);
        }
        return keys.with(new JWKSelector(JWKMatcher.forJWSHeader(token.getHeader())), network)
                .map(known -> verified(token, known));
    }

    private WebIdentity verified(SignedJWT token, JWKSet known) {
        try {
            JWTClaimsSet claims = processor(known).process(token, null);
            String subject = claims.getSubject();
            if (subject.isEmpty() || subject.length() > LONGEST_SUBJECT) {
                throw new WebIdentityException(Reason.INVALID, "The token's subject is empty or too long.");
            }
            return new WebIdentity(
                    settings.url().toString(), subject, settings.audience(), ClaimValues.of(claims.getClaims()));
        } catch (ExpiredJWTException e) {
            throw new WebIdentityException(Reason.EXPIRED, "The token has expired.");
        } catch (BadJOSEException | JOSEException e) {
            throw invalid();
        }
    }

    private DefaultJWTProcessor<SecurityContext> processor(JWKSet known) {
        DefaultJWTProcessor<SecurityContext> created = new DefaultJWTProcessor<>();
        created.setJWSKeySelector(new JWSVerificationKeySelector<>(ALGORITHMS, new ImmutableJWKSet<>(known)));
        created.setJWTClaimsSetVerifier(new ClaimRules(settings, clock));
        return created;
    }

    private Mono<Map<String, Object>> discovered() {
        return discoveries.joinUnlessKnown(OidcIssuer.class, () -> discovered, this::discover);
    }

    private Mono<Map<String, Object>> discover() {
        if (clock.instant().isBefore(discoverFrom)) {
            return Mono.error(OidcIssuer::unreachable);
        }
        String issuer = settings.url().toString();
        String base = issuer.endsWith("/") ? issuer : issuer + '/';
        return IssuerHttpClient.fetch(URI.create(base + ".well-known/openid-configuration"))
                .map(OidcIssuer::json)
                .doOnNext(fields -> {
                    if (!issuer.equals(fields.get("issuer"))) {
                        throw new IllegalStateException("the document is not that of the issuer");
                    }
                    discovered = fields;
                })
                .doOnError(failure -> discoverFrom = clock.instant().plus(IssuerKeys.AFTER_FAILURE))
                .onErrorMap(failure -> unreachable());
    }

    private Mono<byte[]> fetchKeys(Map<String, Object> fields) {
        URI place;
        try {
            place = JSONObjectUtils.getURI(fields, "jwks_uri");
        } catch (ParseException e) {
            place = null;
        }
        return place == null || !isAsSafe(place)
                ? Mono.error(() -> new IllegalStateException("the document names no safe place of keys"))
                : IssuerHttpClient.fetch(place);
    }

    /** A provider elsewhere must not make this program ask services of its own machine. */
    private boolean isAsSafe(URI stated) {
        return IssuerSettings.isSafe(stated)
                && ("https".equals(stated.getScheme())
                        || "http".equals(settings.url().getScheme()));
    }

    private JWKSet keySet(byte[] document) {
        try {
            return new JWKSet(JWKSet.parse(new String(document, StandardCharsets.UTF_8)).getKeys().stream()
                    .filter(this::isLongEnough)
                    .toList());
        } catch (ParseException e) {
            throw new IllegalStateException("the document holds no keys", e);
        }
    }

    private boolean isLongEnough(JWK key) {
        int bits = key instanceof RSAKey rsa
                ? rsa.getModulus().decodeToBigInteger().bitLength()
                : Integer.MAX_VALUE;
        if (bits < SHORTEST_RSA_BITS) {
            log.warn(
                    "Identity provider {}: its RSA key '{}' has {} bits, so tokens that it has signed are refused. Let"
                            + " it sign with a key of {} bits or more",
                    settings.url(),
                    String.valueOf(key.getKeyID()).replaceAll("[^ -~]", "?"),
                    bits,
                    SHORTEST_RSA_BITS);
        }
        return bits >= SHORTEST_RSA_BITS;
    }

    private static Map<String, Object> json(byte[] document) {
        try {
            return JSONObjectUtils.parse(new String(document, StandardCharsets.UTF_8));
        } catch (ParseException e) {
            throw new IllegalStateException("the document is no JSON object", e);
        }
    }

    private static Set<JWSAlgorithm> algorithms() {
        Set<JWSAlgorithm> all = new HashSet<>(JWSAlgorithm.Family.RSA);
        all.addAll(Set.of(JWSAlgorithm.ES256, JWSAlgorithm.ES384, JWSAlgorithm.ES512));
        return Set.copyOf(all);
    }

    static WebIdentityException unreachable() {
        return new WebIdentityException(
                Reason.ISSUER_UNREACHABLE, "The issuer's keys could not be fetched; try again later.");
    }

    private static WebIdentityException invalid() {
        return new WebIdentityException(
                Reason.INVALID, "The token is not one of its issuer for this service, or not valid yet.");
    }

    /** Rules for a token's issuer, audience and times, with a clock of its own. */
    private static final class ClaimRules extends DefaultJWTClaimsVerifier<SecurityContext> {
        private final InstantSource clock;

        ClaimRules(IssuerSettings settings, InstantSource clock) {
            super(
                    settings.audience(),
                    new JWTClaimsSet.Builder().issuer(settings.url().toString()).build(),
                    Set.of("sub", "exp", "iat"));
            this.clock = clock;
            setMaxClockSkew(CLOCK_SKEW_SECONDS);
        }

        @Override
        protected Date currentTime() {
            return Date.from(clock.instant());
        }
    }
}
