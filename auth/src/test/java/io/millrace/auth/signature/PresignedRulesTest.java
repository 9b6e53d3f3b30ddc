package io.millrace.auth.signature;

import static io.millrace.auth.signature.TestSigner.OBJECT;
import static io.millrace.auth.signature.TestSigner.SIGNER;
import static io.millrace.auth.signature.TestSigner.assertRefused;
import static io.millrace.auth.signature.TestSigner.presigned;
import static io.millrace.auth.signature.TestSigner.signed;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.auth.Authentication;
import io.millrace.auth.PayloadType;
import io.millrace.auth.RequestVerificationException;
import io.millrace.auth.RequestVerificationException.Code;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.net.URI;
import java.time.Duration;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests the rules for presigned URLs that apply before the signature is verified. Such URLs appear in mails and logs,
 * so they must expire to the second and be valid only for the request they name.
 */
class PresignedRulesTest {
    private static final String HASH = "0123456789abcdef".repeat(4);

    private final RequestVerifier verifier = TestKeys.verifier();

    @ParameterizedTest
    @CsvSource({"-901, ACCESS_DENIED", "-900,", "0,", "3600,", "3601, EXPIRED"})
    void presignedUrlIsValidUntilItsExpiry(long seconds, Code refusal) throws Exception {
        RequestVerifier later = TestKeys.verifierAt(TestKeys.NOW.plusSeconds(seconds));

        if (refusal == null) {
            assertThat(later.verify(presigned())).isInstanceOf(Authentication.Signed.class);
        } else {
            assertRefused(later, presigned(), refusal);
        }
    }

    @Test
    void expiredIsAccessDeniedWithS3sMessage() {
        assertThatThrownBy(() ->
                        TestKeys.verifierAt(TestKeys.NOW.plusSeconds(3601)).verify(presigned()))
                .hasMessage("Request has expired")
                .isInstanceOfSatisfying(RequestVerificationException.class, e -> {
                    assertThat(e.code().text()).isEqualTo("AccessDenied");
                    assertThat(e.code().status()).isEqualTo(403);
                    assertThat(e.details()).containsEntry("Expires", "2026-11-20T13:00:00Z");
                });
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "-1", "604801", "99999999999999999999"})
    void refusesExpiryOutsideOneSecondToSevenDays(String expires) {
        assertRefused(verifier, presigned().withParameterChanged("X-Amz-Expires", expires), Code.ACCESS_DENIED);
    }

    @ParameterizedTest
    @ValueSource(strings = {"1e3", "", " 60", "+60", "--60", "60.0", "٣", "999999999999999999999"})
    void validityOfAPresignedUrlIsANumber(String expires) {
        assertRefused(
                verifier,
                presigned().withParameterChanged("X-Amz-Expires", expires),
                Code.AUTHORIZATION_QUERY_PARAMETERS_ERROR);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 604800})
    void shortestAndLongestValidityAreAccepted(long seconds) throws Exception {
        URI uri = SIGNER.presign(OBJECT, "GET", Duration.ofSeconds(seconds), TestKeys.NOW);
        SentRequest sent = SentRequest.to("GET", uri.getRawPath() + '?' + uri.getRawQuery());

        assertThat(TestKeys.verifierAt(TestKeys.NOW.plusSeconds(seconds)).verify(sent))
                .isInstanceOf(Authentication.Signed.class);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "X-Amz-Algorithm",
                "X-Amz-Credential",
                "X-Amz-Date",
                "X-Amz-Expires",
                "X-Amz-SignedHeaders",
                "X-Amz-Signature"
            })
    void presignedParametersMustBeThereOnce(String name) {
        SentRequest sent = presigned();

        assertRefused(verifier, sent.withoutParameter(name), Code.AUTHORIZATION_QUERY_PARAMETERS_ERROR);
        assertRefused(
                verifier, sent.withParameter(name, sent.parameter(name)), Code.AUTHORIZATION_QUERY_PARAMETERS_ERROR);
        assertRefused(
                verifier,
                sent.withParameter(name.toUpperCase(Locale.ROOT), sent.parameter(name)),
                Code.AUTHORIZATION_QUERY_PARAMETERS_ERROR);
        assertRefused(
                verifier,
                sent.withParameterChanged(name, ""),
                Code.AUTHORIZATION_QUERY_PARAMETERS_ERROR,
                Code.SIGNATURE_DOES_NOT_MATCH);
    }

    @Test
    void presignedParametersMustParse() {
        for (String[] wrong : new String[][] {
            {"X-Amz-Algorithm", "AWS4-ECDSA-P256-SHA256"},
            {"X-Amz-Date", "2026-11-20T12:00:00Z"},
            {"X-Amz-Date", "20261320T120000Z"},
            {"X-Amz-Date", "20261119T120000Z"},
            {"X-Amz-SignedHeaders", "range"},
            {"X-Amz-Credential", TestKeys.TRAINER}
        }) {
            assertRefused(
                    verifier,
                    presigned().withParameterChanged(wrong[0], wrong[1]),
                    Code.AUTHORIZATION_QUERY_PARAMETERS_ERROR);
        }
    }

    @Test
    void presignedUrlPinsThePayloadItNames() throws Exception {
        SentRequest sent = presigned().withParameter("X-Amz-Content-Sha256", HASH);

        // What is pinned is what is signed: it cannot be added to a URL that is signed for any payload.
        assertRefused(verifier, sent, Code.SIGNATURE_DOES_NOT_MATCH);
        SentRequest pinned = TestSignature.presigned(sent, HASH);
        assertThat(((Authentication.Signed) verifier.verify(pinned)).payload()).isEqualTo(new PayloadType.Sha256(HASH));
        assertRefused(verifier, pinned.withHeader("x-amz-content-sha256", "UNSIGNED-PAYLOAD"), Code.INVALID_ARGUMENT);
    }

    @Test
    void presignedUrlCannotAnnounceSignedChunks() throws Exception {
        String signed = "STREAMING-AWS4-HMAC-SHA256-PAYLOAD";
        String unsigned = "STREAMING-UNSIGNED-PAYLOAD-TRAILER";
        SentRequest sent = presigned();

        assertRefused(
                verifier,
                TestSignature.presigned(sent.withParameter("X-Amz-Content-Sha256", signed), signed),
                Code.INVALID_ARGUMENT);
        assertThat(verifier.verify(
                        TestSignature.presigned(sent.withParameter("X-Amz-Content-Sha256", unsigned), unsigned)))
                .isInstanceOfSatisfying(
                        Authentication.Signed.class,
                        accepted ->
                                assertThat(accepted.payload()).isEqualTo(new PayloadType.UnsignedChunksWithTrailer()));
    }

    @Test
    void customerKeyInAQueryIsNotShownEither() {
        SentRequest sent = presigned()
                .withParameter("X-Amz-Copy-Source-Server-Side-Encryption-Customer-Key", "c2VjcmV0")
                .withParameter("prefix", "kept");

        assertThatThrownBy(() -> verifier.verify(sent))
                .isInstanceOfSatisfying(
                        RequestVerificationException.class,
                        e -> assertThat(e.details().get("CanonicalRequest"))
                                .doesNotContain("c2VjcmV0")
                                .contains("Customer-Key=***", "prefix=kept"));
    }

    /** Creating the error must stay cheap for hostile input, because any client can cause it. */
    @Test
    void refusesRepetitiveParameterNameInLinearTime() {
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        SentRequest sent = presigned().withParameter("x-amz-".repeat(20_000), "");
        long least = Long.MAX_VALUE;
        for (int i = 0; i < 5; i++) {
            long before = threads.getCurrentThreadCpuTime();
            assertRefused(verifier, sent, Code.SIGNATURE_DOES_NOT_MATCH);
            least = Math.min(least, threads.getCurrentThreadCpuTime() - before);
        }

        assertThat(Duration.ofNanos(least)).isLessThan(Duration.ofMillis(500));
    }
}
