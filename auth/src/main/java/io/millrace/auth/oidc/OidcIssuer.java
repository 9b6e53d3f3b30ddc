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
import java.nio.charset.StandardCharsets;
import java.text.ParseException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Date;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
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
    private final NoRedirects retriever = new NoRedirects();
    private @Nullable Discovered discovered;
    private Instant discoverFrom = Instant.MIN;

    OidcIssuer(IssuerSettings settings, InstantSource clock) {
        this.settings = settings;
        this.clock = clock;
    }

    /** The endpoints of the provider at which people sign in. */
    record Document(URI authorizationEndpoint, URI tokenEndpoint) {}

    private record Discovered(Map<String, Object> fields, DefaultJWTProcessor<SecurityContext> processor) {}

    /**
     * Returns the endpoints at which people sign in.
     *
     * @throws WebIdentityException of reason ISSUER_UNREACHABLE if the provider has none that are safe
     */
    Document document() throws WebIdentityException {
        Map<String, Object> fields = discovered().fields();
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

    /**
     * Posts a form to the provider and returns the JSON of its response; empty if it refuses the form.
     *
     * @throws IOException if it cannot be reached, redirects, fails or sends too much
     */
    Map<String, Object> post(URI endpoint, String form, Optional<String> authorization)
            throws IOException, ParseException {
        byte[] body = form.getBytes(StandardCharsets.UTF_8);
        HttpURLConnection connection = retriever.openHTTPConnection(endpoint.toURL());
        try {
            connection.setConnectTimeout(CONNECT_MILLIS);
            connection.setReadTimeout(READ_MILLIS);
            connection.setRequestMethod("POST");
            connection.setRequestProperty("Content-Type", "application/x-www-form-urlencoded");
            connection.setRequestProperty("Accept", "application/json");
            authorization.ifPresent(value -> connection.setRequestProperty("Authorization", value));
            connection.setDoOutput(true);
            connection.setFixedLengthStreamingMode(body.length);
            connection.getOutputStream().write(body);
            int status = connection.getResponseCode();
            if (status == HttpURLConnection.HTTP_BAD_REQUEST || status == HttpURLConnection.HTTP_UNAUTHORIZED) {
                return Map.of();
            }
            if (status != HttpURLConnection.HTTP_OK) {
                throw new IOException("the token endpoint answers with status " + status);
            }
            byte[] json = connection.getInputStream().readNBytes(MOST_BYTES + 1);
            if (json.length > MOST_BYTES) {
                throw new IOException("the token endpoint's response is too long");
            }
            return JSONObjectUtils.parse(new String(json, StandardCharsets.UTF_8));
        } finally {
            connection.disconnect();
        }
    }

    WebIdentity verify(SignedJWT token) throws WebIdentityException {
        try {
            JWTClaimsSet claims = discovered().processor().process(token, null);
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

    private synchronized Discovered discovered() throws WebIdentityException {
        Discovered ready = discovered;
        if (ready != null) {
            return ready;
        }
        if (clock.instant().isBefore(discoverFrom)) {
            throw unreachable();
        }
        try {
            Map<String, Object> fields = discover();
            ready = new Discovered(fields, processor(keysUrl(fields)));
            discovered = ready;
            return ready;
        } catch (IOException | ParseException | IllegalArgumentException e) {
            discoverFrom = clock.instant().plus(AFTER_FAILURE);
            throw unreachable();
        }
    }

    private Map<String, Object> discover() throws IOException, ParseException {
        String issuer = settings.url().toString();
        String base = issuer.endsWith("/") ? issuer : issuer + '/';
        URL document = URI.create(base + ".well-known/openid-configuration").toURL();
        Map<String, Object> fields =
                JSONObjectUtils.parse(retriever.retrieveResource(document).getContent());
        if (!issuer.equals(JSONObjectUtils.getString(fields, "issuer"))) {
            throw new IOException("the document is not that of the issuer");
        }
        return fields;
    }

    private URL keysUrl(Map<String, Object> fields) throws IOException, ParseException {
        URI keys = JSONObjectUtils.getURI(fields, "jwks_uri");
        if (keys == null || !isAsSafe(keys)) {
            throw new IOException("the document names no safe place of keys");
        }
        return keys.toURL();
    }

    /** A provider elsewhere must not make this program ask services of its own machine. */
    private boolean isAsSafe(URI stated) {
        return IssuerSettings.isSafe(stated)
                && ("https".equals(stated.getScheme())
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
