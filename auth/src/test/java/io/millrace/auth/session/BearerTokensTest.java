package io.millrace.auth.session;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.millrace.auth.IdentityRegistry;
import io.millrace.auth.IdentitySettings;
import io.millrace.auth.RequestVerificationException;
import io.millrace.auth.RequestVerificationException.Code;
import io.millrace.auth.SecretDerivation;
import io.millrace.auth.SignatureSettings;
import io.millrace.auth.policy.AllowRule;
import io.millrace.auth.signature.TestKeys;
import io.millrace.config.Secret;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Base64;
import java.util.List;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests that valid tokens are accepted until they expire, and nothing else is. Invalid tokens are built by hand,
 * without the library.
 */
class BearerTokensTest {
    private static final long NOW = TestKeys.NOW.getEpochSecond();
    private static final String HEADER = "{\"alg\":\"HS256\",\"typ\":\"JWT\"}";
    private static final BearerTokens TOKENS = tokens(new Revocations());

    @Test
    void speaksForWhoMadeIt() throws Exception {
        String token = BearerTokens.make(TestKeys.TRAINER, TestKeys.TRAINER_SECRET, BearerTokens.LONGEST, TestKeys.NOW);

        assertThat(TOKENS.verify(token).principal().name()).isEqualTo("trainer");
        assertThat(token.length()).isLessThan(400);
    }

    @Test
    void isWhatOthersMakeByTheSameRule() throws Exception {
        assertThat(TOKENS.verify(token(HEADER, claims(0, 60))).principal().name())
                .isEqualTo("trainer");
        assertThat(TOKENS.verify(token("{\"alg\":\"HS256\"}", claims(0, 60)))
                        .principal()
                        .name())
                .isEqualTo("trainer");
    }

    @Test
    void isNotSignedWithAKeyOfVersion4() {
        assertThat(SecretDerivation.of("s", "millrace bearer token 1"))
                .hasSize(32)
                .isNotEqualTo(hmac("AWS4s".getBytes(UTF_8), "millrace bearer token 1"));
        assertRefused(
                Code.INVALID_TOKEN,
                signedWith(TestKeys.TRAINER_SECRET.reveal().getBytes(UTF_8), HEADER, claims(0, 60)));
    }

    @ParameterizedTest
    @CsvSource({
        // made at, good until, relative to now; what becomes of it
        "-60, 60, ",
        "0, 43200, ",
        "-43200, -1, ", // as far as clocks may differ
        "-1000, -899, ",
        "899, 1000, ",
        "-1000, -900, EXPIRED",
        "-43200, -1000, EXPIRED",
        "0, 43201, INVALID_TOKEN",
        "-43200, 1, INVALID_TOKEN",
        "901, 1000, INVALID_TOKEN",
        "86400, 90000, INVALID_TOKEN"
    })
    void isGoodForItsTime(long begin, long end, String refusal) throws Exception {
        String token = token(HEADER, claims(begin, end));

        if (refusal == null) {
            assertThat(TOKENS.verify(token).principal().name()).isEqualTo("trainer");
        } else {
            assertRefused(Code.valueOf(refusal), token);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"alg\":\"none\"}",
                "{\"alg\":\"None\",\"typ\":\"JWT\"}",
                "{\"alg\":\"HS384\",\"typ\":\"JWT\"}",
                "{\"alg\":\"HS512\"}",
                "{\"alg\":\"RS256\"}",
                "{\"alg\":\"dir\",\"enc\":\"A128GCM\"}",
                "{\"alg\":\"HS256\",\"crit\":[\"exp\"]}",
                "{\"alg\":\"HS256\",\"b64\":false,\"crit\":[\"b64\"]}",
                "{\"alg\":\"HS256\",\"kid\":\"../../etc/passwd\"}",
                "{\"alg\":\"HS256\",\"jku\":\"http://example.com/keys\"}",
                "{\"alg\":\"HS256\",\"jwk\":{\"kty\":\"oct\",\"k\":\"AAAA\"}}",
                "{\"typ\":\"JWT\"}",
                "{\"alg\":256}",
                "{\"alg\":\"HS256\"",
                "[]",
                "null",
                "\u0000"
            })
    void anotherHeaderIsRefused(String header) {
        assertRefused(Code.INVALID_TOKEN, token(header, claims(0, 60)));
    }

    @Test
    void refusesUnsignedTokens() {
        String body = encoded("{\"alg\":\"none\"}") + '.' + encoded(claims(0, 60)) + '.';

        assertRefused(Code.INVALID_TOKEN, body);
        assertRefused(Code.INVALID_TOKEN, body + "A".repeat(43));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"sub\":\"TRAINER01\",\"aud\":\"other\",\"iat\":0,\"exp\":60}",
                "{\"sub\":\"TRAINER01\",\"aud\":[\"millrace\",\"other\"],\"iat\":0,\"exp\":60}",
                "{\"sub\":\"TRAINER01\",\"iat\":0,\"exp\":60}",
                "{\"sub\":\"TRAINER01\",\"aud\":\"millrace\",\"exp\":60}",
                "{\"sub\":\"TRAINER01\",\"aud\":\"millrace\",\"iat\":0}",
                "{\"sub\":\"TRAINER01\",\"aud\":\"millrace\",\"iat\":\"0\",\"exp\":\"60\"}",
                "{\"sub\":\"TRAINER01\",\"aud\":\"millrace\",\"iat\":0,\"exp\":1e300}",
                "{\"sub\":\"TRAINER01\",\"aud\":\"millrace\",\"iat\":-1e300,\"exp\":1e300}",
                "{\"sub\":\"TRAINER01\",\"aud\":\"millrace\",\"iat\":0,\"exp\":60,\"nbf\":4000000000}",
                "{\"sub\":\"ADMIN01\",\"aud\":\"millrace\",\"iat\":0,\"exp\":60}",
                "{\"sub\":\"NOBODY\",\"aud\":\"millrace\",\"iat\":0,\"exp\":60}",
                "{\"sub\":\"\",\"aud\":\"millrace\",\"iat\":0,\"exp\":60}",
                "{\"sub\":7,\"aud\":\"millrace\",\"iat\":0,\"exp\":60}",
                "{\"aud\":\"millrace\",\"iat\":0,\"exp\":60}",
                "{}",
                "[]",
                "7",
                "\"text\""
            })
    void otherClaimsAreRefused(String claims) {
        String now = claims.replace("\"iat\":0", "\"iat\":" + NOW).replace("\"exp\":60", "\"exp\":" + (NOW + 60));

        assertRefused(Code.INVALID_TOKEN, token(HEADER, now));
    }

    @Test
    void aTokenThatWasChangedAnywhereIsRefused() {
        String token = BearerTokens.make(TestKeys.TRAINER, TestKeys.TRAINER_SECRET, Duration.ofHours(1), TestKeys.NOW);

        // The last character has bits that say nothing, so the one before it.
        for (int i = 0; i < token.length() - 1; i++) {
            char other = token.charAt(i) == 'A' ? 'B' : 'A';
            assertRefused(Code.INVALID_TOKEN, token.substring(0, i) + other + token.substring(i + 1));
        }
    }

    @Test
    void anotherSecretEndsTokens() {
        BearerTokens rotated = new BearerTokens(
                CredentialFinder.of(
                        IdentityRegistry.of(List.of(new IdentitySettings(
                                "trainer", TestKeys.TRAINER, Secret.of("another"), List.of(AllowRule.parse("*"))))),
                        () -> TestKeys.NOW),
                SignatureSettings.defaults(),
                InstantSource.fixed(TestKeys.NOW));
        String token = BearerTokens.make(TestKeys.TRAINER, TestKeys.TRAINER_SECRET, Duration.ofHours(1), TestKeys.NOW);

        assertThatExceptionOfType(RequestVerificationException.class).isThrownBy(() -> rotated.verify(token));
    }

    @Test
    void revokedTokenIsRefused() throws Exception {
        Revocations revocations = new Revocations();
        BearerTokens verifier = tokens(revocations);
        String token = BearerTokens.make(TestKeys.TRAINER, TestKeys.TRAINER_SECRET, Duration.ofHours(1), TestKeys.NOW);
        revocations.set(List.of(new Revocation(RevocationTarget.ALL, "", TestKeys.NOW.minusSeconds(1))));
        assertThat(verifier.verify(token).principal().name()).isEqualTo("trainer");

        revocations.set(List.of(new Revocation(RevocationTarget.ALL, "", TestKeys.NOW)));
        assertThatExceptionOfType(RequestVerificationException.class)
                .isThrownBy(() -> verifier.verify(token))
                .withMessageContaining("revoked");

        revocations.set(List.of());
        assertThat(verifier.verify(token).principal().name()).isEqualTo("trainer");
        revocations.set(List.of(new Revocation(RevocationTarget.IDENTITY, "trainer", Instant.EPOCH)));
        assertThatExceptionOfType(RequestVerificationException.class).isThrownBy(() -> verifier.verify(token));
    }

    private static BearerTokens tokens(Revocations revocations) {
        return new BearerTokens(
                new CredentialFinder(List.of(TestKeys.identities()), revocations, () -> TestKeys.NOW),
                SignatureSettings.defaults(),
                InstantSource.fixed(TestKeys.NOW));
    }

    @Test
    void refusalHidesWhetherTheAccessKeyExists() {
        String unknown =
                refusal(BearerTokens.make("NOBODY", TestKeys.TRAINER_SECRET, Duration.ofHours(1), TestKeys.NOW));
        String wrong =
                refusal(BearerTokens.make(TestKeys.TRAINER, TestKeys.ADMIN_SECRET, Duration.ofHours(1), TestKeys.NOW));

        assertThat(unknown).isEqualTo(wrong);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", ".", "..", "a.b.c", "a.b", "a b.c.d", "ä.b.c"})
    void refusesMalformedTokens(String text) {
        assertRefused(Code.INVALID_TOKEN, text);
    }

    @Test
    void longAndDeepOnesAreRefused() {
        assertRefused(Code.INVALID_TOKEN, "a".repeat(BearerTokens.MOST_CHARACTERS + 1));
        assertRefused(
                Code.INVALID_TOKEN, token(HEADER, claims(0, 60).replace("}", ",\"x\":\"" + "x".repeat(4000) + "\"}")));
        assertRefused(Code.INVALID_TOKEN, token(HEADER, "{\"a\":" + "[".repeat(2900)));
        assertRefused(Code.INVALID_TOKEN, token(HEADER, "{\"a\":".repeat(550)));
    }

    @ParameterizedTest
    @ValueSource(longs = {-1, 0, 43_201})
    void noneIsMadeForLonger(long seconds) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> BearerTokens.make(
                        TestKeys.TRAINER, TestKeys.TRAINER_SECRET, Duration.ofSeconds(seconds), TestKeys.NOW));
    }

    private static String refusal(String token) {
        return String.valueOf(assertThatExceptionOfType(RequestVerificationException.class)
                .isThrownBy(() -> TOKENS.verify(token))
                .actual()
                .getMessage());
    }

    private static void assertRefused(Code code, String token) {
        assertThatExceptionOfType(RequestVerificationException.class)
                .as(token)
                .isThrownBy(() -> TOKENS.verify(token))
                .satisfies(refused -> assertThat(refused.code()).isEqualTo(code));
    }

    private static String claims(long begin, long end) {
        return "{\"sub\":\"%s\",\"aud\":\"millrace\",\"iat\":%d,\"exp\":%d}"
                .formatted(TestKeys.TRAINER, NOW + begin, NOW + end);
    }

    private static String token(String header, String claims) {
        return signedWith(
                SecretDerivation.of(TestKeys.TRAINER_SECRET.reveal(), "millrace bearer token 1"), header, claims);
    }

    private static String signedWith(byte[] key, String header, String claims) {
        String signed = encoded(header) + '.' + encoded(claims);
        return signed + '.' + Base64.getUrlEncoder().withoutPadding().encodeToString(hmac(key, signed));
    }

    private static String encoded(String text) {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(text.getBytes(UTF_8));
    }

    private static byte[] hmac(byte[] key, String text) {
        try {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(key, "HmacSHA256"));
            return mac.doFinal(text.getBytes(UTF_8));
        } catch (GeneralSecurityException e) {
            throw new AssertionError(e);
        }
    }
}
