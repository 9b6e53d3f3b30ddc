package io.millrace.auth.oidc;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.KeySourceException;
import com.nimbusds.jose.jwk.source.JWKSource;
import com.nimbusds.jose.jwk.source.JWKSourceBuilder;
import com.nimbusds.jose.proc.BadJOSEException;
import com.nimbusds.jose.proc.JWSVerificationKeySelector;
import com.nimbusds.jose.proc.SecurityContext;
import com.nimbusds.jose.util.DefaultResourceRetriever;
import com.nimbusds.jose.util.JSONObjectUtils;
import com.nimbusds.jose.util.ResourceRetriever;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.SignedJWT;
import com.nimbusds.jwt.proc.DefaultJWTClaimsVerifier;
import com.nimbusds.jwt.proc.DefaultJWTProcessor;
import com.nimbusds.jwt.proc.ExpiredJWTException;
import io.millrace.auth.oidc.WebIdentityException.Reason;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.URI;
import java.net.URL;
import java.text.ParseException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Date;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One identity provider: its keys, which are fetched when its first token arrives, and the rules for its tokens.
 * Thread-safe; blocks while keys are fetched.
 *
 * @see <a href="https://openid.net/specs/openid-connect-discovery-1_0.html">OpenID Connect Discovery</a>
 */
final class OidcIssuer {
    /** Asymmetric algorithms only: with HMAC, everyone who knows the public key could sign. */
    private static final Set<JWSAlgorithm> ALGORITHMS = algorithms();

    private static final int CONNECT_MILLIS = 3_000;
    private static final int READ_MILLIS = 5_000;
    private static final int MOST_BYTES = 256 << 10;
    private static final long CACHE_LIFETIME_MILLIS = Duration.ofMinutes(5).toMillis();

    /** The time in which keys are fetched twice at most, whatever key ids tokens name. */
    private static final long FETCH_INTERVAL_MILLIS = Duration.ofSeconds(30).toMillis();

    private static final Duration AFTER_FAILURE = Duration.ofSeconds(10);
    private static final int CLOCK_SKEW_SECONDS = 60;
    private static final int LONGEST_SUBJECT = 255;

    private final IssuerSettings settings;
    private final InstantSource clock;
    private final ResourceRetriever retriever = new NoRedirects();
    private @Nullable DefaultJWTProcessor<SecurityContext> processor;
    private Instant discoverFrom = Instant.MIN;

    OidcIssuer(IssuerSettings settings, InstantSource clock) {
        this.settings = settings;
        this.clock = clock;
    }

    WebIdentity verify(SignedJWT token) throws WebIdentityException {
        try {
            JWTClaimsSet claims = processor().process(token, null);
            String subject = claims.getSubject();
            if (subject.isEmpty() || subject.length() > LONGEST_SUBJECT) {
                throw new WebIdentityException(Reason.INVALID, "The token's subject is empty or too long.");
            }
            return new WebIdentity(
                    settings.url().toString(), subject, settings.audience(), ClaimValues.of(claims.getClaims()));
        } catch (ExpiredJWTException e) {
            throw new WebIdentityException(Reason.EXPIRED, "The token has expired.");
        } catch (KeySourceException e) {
            throw unreachable();
        } catch (BadJOSEException | JOSEException e) {
            throw new WebIdentityException(
                    Reason.INVALID, "The token is not one of its issuer for this service, or not valid yet.");
        }
    }

    private synchronized DefaultJWTProcessor<SecurityContext> processor() throws WebIdentityException {
        DefaultJWTProcessor<SecurityContext> ready = processor;
        if (ready != null) {
            return ready;
        }
        if (clock.instant().isBefore(discoverFrom)) {
            throw unreachable();
        }
        try {
            ready = processor(keysUrl());
            processor = ready;
            return ready;
        } catch (IOException | ParseException | IllegalArgumentException e) {
            discoverFrom = clock.instant().plus(AFTER_FAILURE);
            throw unreachable();
        }
    }

    private URL keysUrl() throws IOException, ParseException {
        String issuer = settings.url().toString();
        String base = issuer.endsWith("/") ? issuer : issuer + '/';
        URL document = URI.create(base + ".well-known/openid-configuration").toURL();
        var fields = JSONObjectUtils.parse(retriever.retrieveResource(document).getContent());
        URI keys = JSONObjectUtils.getURI(fields, "jwks_uri");
        if (!issuer.equals(JSONObjectUtils.getString(fields, "issuer")) || keys == null || !isAsSafe(keys)) {
            throw new IOException("the document is not that of the issuer");
        }
        return keys.toURL();
    }

    /** A provider elsewhere must not make this program ask services of its own machine. */
    private boolean isAsSafe(URI keys) {
        return IssuerSettings.isSafe(keys)
                && ("https".equals(keys.getScheme())
                        || "http".equals(settings.url().getScheme()));
    }

    private DefaultJWTProcessor<SecurityContext> processor(URL keys) {
        JWKSource<SecurityContext> source = JWKSourceBuilder.<SecurityContext>create(keys, retriever)
                .cache(CACHE_LIFETIME_MILLIS, CONNECT_MILLIS + READ_MILLIS)
                .refreshAheadCache(false)
                .rateLimited(FETCH_INTERVAL_MILLIS)
                .build();
        DefaultJWTProcessor<SecurityContext> created = new DefaultJWTProcessor<>();
        created.setJWSKeySelector(new JWSVerificationKeySelector<>(ALGORITHMS, source));
        created.setJWTClaimsSetVerifier(new ClaimRules(settings, clock));
        return created;
    }

    private static Set<JWSAlgorithm> algorithms() {
        Set<JWSAlgorithm> all = new HashSet<>(JWSAlgorithm.Family.RSA);
        all.addAll(Set.of(JWSAlgorithm.ES256, JWSAlgorithm.ES384, JWSAlgorithm.ES512));
        return Set.copyOf(all);
    }

    private static WebIdentityException unreachable() {
        return new WebIdentityException(
                Reason.ISSUER_UNREACHABLE, "The issuer's keys could not be fetched; try again later.");
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

    /** Fetcher of small documents that follows no redirect, which could lead to a service of this machine. */
    private static final class NoRedirects extends DefaultResourceRetriever {
        NoRedirects() {
            super(CONNECT_MILLIS, READ_MILLIS, MOST_BYTES);
        }

        @Override
        protected HttpURLConnection openHTTPConnection(URL url) throws IOException {
            HttpURLConnection connection = super.openHTTPConnection(url);
            connection.setInstanceFollowRedirects(false);
            return connection;
        }
    }
}
