package io.millrace.gateway.sts;

import static org.assertj.core.api.Assertions.as;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.crypto.RSASSASigner;
import com.nimbusds.jose.crypto.opts.AllowWeakRSAKey;
import com.nimbusds.jose.jwk.Curve;
import com.nimbusds.jose.jwk.OctetSequenceKey;
import com.nimbusds.jose.jwk.RSAKey;
import com.nimbusds.jose.jwk.gen.ECKeyGenerator;
import com.nimbusds.jose.jwk.gen.RSAKeyGenerator;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.PlainJWT;
import com.nimbusds.jwt.SignedJWT;
import io.millrace.auth.session.IssuerSettings;
import io.millrace.auth.session.WebIdentity;
import io.millrace.auth.session.WebIdentityException;
import io.millrace.auth.session.WebIdentityException.Reason;
import io.millrace.auth.session.WebIdentityVerifier;
import io.millrace.backend.testkit.Polling;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Base64;
import java.util.Date;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

/** Tests which tokens of an identity provider are accepted, and how often its keys are fetched. */
class WebIdentityVerifierTest {
    /** Longer than anything takes: what hangs fails with it. */
    private static final Duration SOON = Duration.ofSeconds(60);

    private static final long NETWORK = 1;

    private static RSAKey key;
    private static RSAKey other;

    private OidcServer provider;
    private WebIdentityVerifier verifier;

    @BeforeAll
    static void generateKeys() throws Exception {
        key = new RSAKeyGenerator(2048).keyID("first").generate();
        other = new RSAKeyGenerator(2048).keyID("first").generate();
    }

    @BeforeEach
    void start() throws Exception {
        provider = new OidcServer();
        provider.publish(key);
        verifier = new WebIdentityVerifier(
                List.of(new IssuerSettings(URI.create(provider.url()), OidcServer.AUDIENCE)), InstantSource.system());
    }

    @AfterEach
    void stop() {
        provider.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"RS256", "RS512", "PS256"})
    void acceptsTokensOfTheIssuer(String algorithm) throws Exception {
        JWTClaimsSet.Builder claims = provider.claims("pod")
                .claim("groups", List.of("ml-team", "all"))
                .claim("level", 7)
                .claim("/realm/roles", "literal")
                .claim("realm", Map.of("roles", List.of("nested"), "a/b~c", true))
                .claim("kubernetes.io", Map.of("namespace", "training", "pod", Map.of("name", "p-1")));

        WebIdentity verified = verify(OidcServer.signed(key, JWSAlgorithm.parse(algorithm), claims.build()));

        assertThat(verified.issuer()).isEqualTo(provider.url());
        assertThat(verified.subject()).isEqualTo("pod");
        assertThat(verified.audience()).isEqualTo(OidcServer.AUDIENCE);
        assertThat(verified.claim("groups")).containsExactly("ml-team", "all");
        assertThat(verified.claim("level")).containsExactly("7");
        assertThat(verified.claim("kubernetes.io")).isEmpty();
        assertThat(verified.claim("/kubernetes.io/namespace")).containsExactly("training");
        assertThat(verified.claim("/kubernetes.io/pod/name")).containsExactly("p-1");
        assertThat(verified.claim("/realm/a~1b~0c")).containsExactly("true");
        assertThat(verified.claim("/realm/roles")).containsExactly("literal");
        assertThat(verified.claim("absent")).isEmpty();
    }

    @Test
    void acceptsEllipticCurves() throws Exception {
        var curve = new ECKeyGenerator(Curve.P_256).keyID("curve").generate();
        provider.publish(curve);

        assertThat(verify(OidcServer.signed(
                                curve,
                                JWSAlgorithm.ES256,
                                provider.claims("pod").build()))
                        .subject())
                .isEqualTo("pod");
    }

    @Test
    void refusesTokensWithoutSignature() {
        assertRefused(new PlainJWT(provider.claims("pod").build()).serialize(), Reason.INVALID);
        assertRefused("", Reason.INVALID);
        assertRefused("a.b.c", Reason.INVALID);
        assertRefused("a".repeat(20_001), Reason.INVALID);
    }

    /** The public key is no secret, so it must not serve as one for HMAC, whichever text of it is taken. */
    @Test
    void refusesHmacWithThePublicKey() throws Exception {
        byte[] der = key.toRSAPublicKey().getEncoded();
        String pem = "-----BEGIN PUBLIC KEY-----\n"
                + Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(der) + "\n-----END PUBLIC KEY-----\n";
        for (byte[] secret : List.of(
                der,
                pem.getBytes(StandardCharsets.UTF_8),
                key.toPublicJWK().toJSONString().getBytes(StandardCharsets.UTF_8))) {
            var confused = new OctetSequenceKey.Builder(secret).keyID("first").build();
            assertRefused(
                    OidcServer.signed(
                            confused, JWSAlgorithm.HS256, provider.claims("pod").build()),
                    Reason.INVALID);
        }
    }

    /** A provider's mistake must not let those who hold a shared secret sign. */
    @Test
    void refusesHmacEvenWithAPublishedSecret() throws Exception {
        var secret = new OctetSequenceKey.Builder(new byte[32]).keyID("shared").build();
        provider.publish(secret);

        assertThatThrownBy(() -> verify(OidcServer.signed(
                        secret, JWSAlgorithm.HS256, provider.claims("pod").build())))
                .isInstanceOf(WebIdentityException.class);
    }

    @Test
    void refusesOtherKeysAndClaims() throws Exception {
        Instant now = Instant.now();
        assertRefused(sign(other, provider.claims("pod")), Reason.INVALID);
        assertRefused(sign(key, provider.claims("pod").audience("another")), Reason.INVALID);
        assertRefused(sign(key, provider.claims("pod").audience((String) null)), Reason.INVALID);
        assertRefused(sign(key, provider.claims("pod").issuer("https://evil.example")), Reason.INVALID);
        assertRefused(sign(key, provider.claims("pod").issuer(null)), Reason.INVALID);
        assertRefused(sign(key, provider.claims("")), Reason.INVALID);
        assertRefused(sign(key, provider.claims("x".repeat(256))), Reason.INVALID);
        assertRefused(sign(key, provider.claims("pod").expirationTime(null)), Reason.INVALID);
        assertRefused(sign(key, provider.claims("pod").notBeforeTime(Date.from(now.plusSeconds(300)))), Reason.INVALID);
        assertRefused(
                sign(key, provider.claims("pod").expirationTime(Date.from(now.minusSeconds(300)))), Reason.EXPIRED);
    }

    /** Its private key may be computed from the public one. */
    @Test
    void refusesShortRsaKeysAndNamesThem() throws Exception {
        RSAKey weak = new RSAKeyGenerator(1024, true).keyID("weak").generate();
        provider.publish(weak, key);
        SignedJWT token = new SignedJWT(
                new JWSHeader.Builder(JWSAlgorithm.RS256).keyID("weak").build(),
                provider.claims("pod").build());
        token.sign(new RSASSASigner(weak.toPrivateKey(), Set.of(AllowWeakRSAKey.getInstance())));
        ListAppender<ILoggingEvent> lines = new ListAppender<>();
        Logger logger = (Logger) LoggerFactory.getLogger("io.millrace.auth.session");
        lines.start();
        logger.addAppender(lines);
        try {
            assertRefused(token.serialize(), Reason.INVALID);
        } finally {
            logger.detachAppender(lines);
        }

        assertThat(lines.list)
                .extracting(ILoggingEvent::getFormattedMessage)
                .singleElement(as(STRING))
                .contains(provider.url(), "'weak'", "1024 bits");
        assertThat(verify(sign(key, provider.claims("pod"))).subject()).isEqualTo("pod");
    }

    @Test
    void fetchesKeysAgainAfterARotation() throws Exception {
        verify(sign(key, provider.claims("pod")));
        RSAKey next = new RSAKeyGenerator(2048).keyID("second").generate();
        provider.publish(next);

        assertThat(verify(sign(next, provider.claims("pod"))).subject()).isEqualTo("pod");
        assertRefused(sign(key, provider.claims("pod")), Reason.ISSUER_UNREACHABLE);
    }

    @Test
    void unknownKeyIdsDoNotFloodTheIssuer() throws Exception {
        verify(sign(key, provider.claims("pod")));
        for (int i = 0; i < 50; i++) {
            RSAKey unknown = new RSAKey.Builder(other).keyID("unknown" + i).build();
            assertThatThrownBy(() -> verify(sign(unknown, provider.claims("pod"))))
                    .isInstanceOf(WebIdentityException.class);
        }

        assertThat(provider.keyFetches()).isLessThanOrEqualTo(2);
        // The flood does not shut out those who have a key.
        assertThat(verify(sign(key, provider.claims("pod"))).subject()).isEqualTo("pod");
    }

    @Test
    void refusesADiscoveryDocumentOfAnotherIssuer() throws Exception {
        provider.state("https://other.example");

        assertRefused(sign(key, provider.claims("pod")), Reason.ISSUER_UNREACHABLE);
        assertThat(provider.keyFetches()).isZero();
    }

    @Test
    void keysThatComeByteByByteAreGivenUp() throws Exception {
        provider.drip("/keys");

        assertRefused(sign(key, provider.claims("pod")), Reason.ISSUER_UNREACHABLE);
        // Pauses, so this one needs no fetch to fail.
        assertRefused(sign(key, provider.claims("pod")), Reason.ISSUER_UNREACHABLE);
        assertThat(provider.keyFetches()).isEqualTo(1);
    }

    @Test
    void documentThatIsTooLongIsRefused() throws Exception {
        provider.publish(
                key, new RSAKey.Builder(other).keyID("k".repeat(300_000)).build());

        assertRefused(sign(key, provider.claims("pod")), Reason.ISSUER_UNREACHABLE);
    }

    @Test
    void discoveryThatComesByteByByteIsGivenUp() throws Exception {
        provider.drip("/.well-known/openid-configuration");

        assertRefused(sign(key, provider.claims("pod")), Reason.ISSUER_UNREACHABLE);
        assertThat(provider.keyFetches()).isZero();
    }

    @Test
    void tokenWithAKnownKeyDoesNotWaitForAFetch() throws Exception {
        verify(sign(key, provider.claims("pod")));
        provider.drip("/keys");
        RSAKey unknown = new RSAKey.Builder(other).keyID("unknown").build();
        CompletableFuture<WebIdentity> waiting =
                verifier.verify(sign(unknown, provider.claims("pod")), NETWORK).toFuture();
        Polling.until("the fetch has begun", () -> provider.keyFetches() == 2);

        // At once, on this thread.
        assertThat(verifier.verify(sign(key, provider.claims("pod")), NETWORK).toFuture())
                .isCompleted();

        assertThatThrownBy(() -> waiting.get(SOON.toSeconds(), TimeUnit.SECONDS))
                .hasCauseInstanceOf(WebIdentityException.class);
    }

    @Test
    void tokensOfOneIssuerWaitForOneFetchAndNotBeyondABound() throws Exception {
        provider.drip("/keys");
        String token = sign(key, provider.claims("pod"));

        List<CompletableFuture<WebIdentity>> all = IntStream.range(0, 300)
                .mapToObj(i -> verifier.verify(token, NETWORK).toFuture())
                .toList();

        assertThat(all.stream().filter(CompletableFuture::isCompletedExceptionally))
                .as("of one network more than half")
                .hasSizeGreaterThanOrEqualTo(300 - 128);
        assertThat(verifier.verify(token, NETWORK + 1).toFuture())
                .as("of another network")
                .isNotDone();
        Polling.until("all have ended", () -> all.stream().allMatch(CompletableFuture::isDone));
        assertThat(provider.keyFetches()).isEqualTo(1);
    }

    @Test
    void keysAreFetchedAgainAfterAFailureAndAPause() throws Exception {
        AtomicReference<Instant> now = new AtomicReference<>(Instant.now());
        verifier = new WebIdentityVerifier(
                List.of(new IssuerSettings(URI.create(provider.url()), OidcServer.AUDIENCE)), now::get);
        provider.state("https://other.example");
        assertRefused(sign(key, provider.claims("pod")), Reason.ISSUER_UNREACHABLE);
        provider.state(provider.url());
        assertRefused(sign(key, provider.claims("pod")), Reason.ISSUER_UNREACHABLE);

        now.set(now.get().plusSeconds(11));

        assertThat(verify(sign(key, provider.claims("pod"))).subject()).isEqualTo("pod");
    }

    @Test
    void keysAreRenewedAheadAndWithdrawnOnesExpire() throws Exception {
        AtomicReference<Instant> now = new AtomicReference<>(Instant.now());
        verifier = new WebIdentityVerifier(
                List.of(new IssuerSettings(URI.create(provider.url()), OidcServer.AUDIENCE)), now::get);
        Instant late = now.get().plus(Duration.ofDays(365));
        String token = sign(key, provider.claims("pod").expirationTime(Date.from(late)));
        verify(token);
        now.set(now.get().plusSeconds(250));
        verify(token);
        Polling.until("they are fetched ahead", () -> provider.keyFetches() == 2);
        provider.publish();

        // What is fetched ahead may be known only after the clock has moved.
        Polling.until("the withdrawn key is refused", () -> {
            now.set(now.get().plusSeconds(301));
            try {
                verify(token);
                return false;
            } catch (WebIdentityException refused) {
                return refused.reason() == Reason.INVALID;
            }
        });
    }

    private static String sign(RSAKey by, JWTClaimsSet.Builder claims) throws Exception {
        return OidcServer.signed(by, JWSAlgorithm.RS256, claims.build());
    }

    private WebIdentity verify(String token) {
        return verifier.verify(token, NETWORK).blockOptional(SOON).orElseThrow();
    }

    private void assertRefused(String token, Reason reason) {
        assertThatThrownBy(() -> verify(token))
                .isInstanceOfSatisfying(
                        WebIdentityException.class, e -> assertThat(e.reason()).isEqualTo(reason));
    }
}
