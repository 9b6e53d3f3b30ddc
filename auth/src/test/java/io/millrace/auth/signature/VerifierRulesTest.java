package io.millrace.auth.signature;

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
import io.millrace.auth.policy.Principal;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests the rules that apply before a signature is computed, with S3's error codes. Other gateways had vulnerabilities
 * here: credential and signature read from different places, part of a signature treated as none, times not checked.
 */
class VerifierRulesTest {
    private static final String HASH = "0123456789abcdef".repeat(4);

    private final RequestVerifier verifier = TestKeys.verifier();

    @Test
    void requestWithoutCredentialsIsAnonymous() throws Exception {
        assertThat(verifier.verify(SentRequest.to("GET", "/bucket/key?prefix=a")))
                .isEqualTo(new Authentication.Anonymous())
                .returns(Principal.ANONYMOUS, Authentication::principal);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "X-Amz-Algorithm=AWS4-HMAC-SHA256",
                "X-Amz-Credential=TRAINER01/20261120/us-east-1/s3/aws4_request",
                "X-Amz-Signature=00",
                "x-amz-signature=00",
                "X-Amz-Date=20261120T120000Z",
                "X-Amz-Expires=60",
                "X-Amz-SignedHeaders=host",
                "AWSAccessKeyId=TRAINER01",
                "Signature=AAAA",
                "Expires=1900000000",
                "AWSAccessKeyId=TRAINER01&Expires=1900000000",
                "AWSAccessKeyId=TRAINER01&Signature=AAAA",
                "X-Amz-Credential=TRAINER01/20261120/us-east-1/s3/aws4_request&AWSAccessKeyId=TRAINER01"
            })
    void halfASignatureIsRefusedAndNotAnonymous(String query) {
        assertThatThrownBy(() -> verifier.verify(SentRequest.to("GET", "/bucket/key?" + query)))
                .isInstanceOf(RequestVerificationException.class);
    }

    @Test
    void onlyOneWayOfAuthenticatingIsAllowed() {
        assertRefused(verifier, signed().withParameter("X-Amz-Algorithm", "AWS4-HMAC-SHA256"), Code.INVALID_ARGUMENT);
        assertRefused(verifier, signed().withParameter("AWSAccessKeyId", TestKeys.TRAINER), Code.INVALID_ARGUMENT);
        assertRefused(verifier, signed().withHeader("authorization", "Basic QTpC"), Code.INVALID_ARGUMENT);
        assertRefused(verifier, presigned().withHeader("authorization", "Basic QTpC"), Code.INVALID_ARGUMENT);
        assertRefused(
                verifier,
                presigned().withHeader("authorization", signed().header("authorization")),
                Code.INVALID_ARGUMENT);
        assertRefused(verifier, presigned().withParameter("Signature", "AAAA"), Code.INVALID_ARGUMENT);
    }

    @Test
    void refusesCredentialInQueryWithSignatureInHeader() {
        SentRequest credentialOnly = presigned().withoutParameter("X-Amz-Signature");
        String header = "AWS4-HMAC-SHA256 Signature=" + presigned().parameter("X-Amz-Signature");

        assertRefused(verifier, credentialOnly, Code.AUTHORIZATION_QUERY_PARAMETERS_ERROR);
        assertRefused(verifier, credentialOnly.withHeader("authorization", header), Code.INVALID_ARGUMENT);
    }

    @ParameterizedTest
    @CsvSource({
        "Basic QTpC, INVALID_ARGUMENT",
        "Bearer abc, INVALID_ARGUMENT",
        "aws4-hmac-sha256 Credential=a, INVALID_ARGUMENT",
        "AWS4-ECDSA-P256-SHA256 Credential=a, INVALID_ARGUMENT",
        "AWS4-HMAC-SHA256, AUTHORIZATION_HEADER_MALFORMED",
        "AWS4-HMAC-SHA256 , AUTHORIZATION_HEADER_MALFORMED",
        "AWS4-HMAC-SHA256Credential=a, INVALID_ARGUMENT",
        "AWS TRAINER01:AAAA, ACCESS_DENIED",
        "AWS, ACCESS_DENIED",
        "'', ACCESS_DENIED",
        "'  ', ACCESS_DENIED"
    })
    void foreignSchemesAreRefused(String header, Code code) {
        assertRefused(verifier, SentRequest.to("GET", "/bucket/key").withHeader("authorization", header), code);
    }

    @Test
    void version2InTheHeaderIsRefusedWithTheRemedy() {
        assertThatThrownBy(() -> verifier.verify(SentRequest.to("GET", "/").withHeader("authorization", "AWS A:b")))
                .hasMessageContaining("AWS4-HMAC-SHA256");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Credential=C, SignedHeaders=S",
                "Credential=C, Signature=G",
                "SignedHeaders=S, Signature=G",
                "Credential=C, SignedHeaders=S, Signature=G, Signature=G",
                "Credential=C, SignedHeaders=S, Signature=G, More=1",
                "Credential=C, SignedHeaders=S, Signature=G,",
                "Credential=C SignedHeaders=S Signature=G",
                "Credential=C; SignedHeaders=S; Signature=G",
                "Credential=C, SignedHeaders=S, Signature=",
                "Credential=A/20261120/us-east-1/s3, SignedHeaders=S, Signature=G",
                "Credential=A/20261120/us-east-1/s3/aws4_request/, SignedHeaders=S, Signature=G",
                "Credential=/20261120/us-east-1/s3/aws4_request, SignedHeaders=S, Signature=G",
                "Credential=A/20261120//s3/aws4_request, SignedHeaders=S, Signature=G",
                "Credential=A/20261120/us-east-1/ec2/aws4_request, SignedHeaders=S, Signature=G",
                "Credential=A/20261119/us-east-1/s3/aws4_request, SignedHeaders=S, Signature=G",
                "Credential=C, SignedHeaders=x-amz-date, Signature=G",
                "Credential=C, SignedHeaders=x-amz-date;host, Signature=G",
                "Credential=C, SignedHeaders=host;host;x-amz-date, Signature=G",
                "Credential=C, SignedHeaders=Host;x-amz-date, Signature=G",
                "Credential=C, SignedHeaders=host;;x-amz-date, Signature=G",
                "Credential=C, SignedHeaders=host;x-amz-date;, Signature=G"
            })
    void headerThatDoesNotParseIsMalformed(String form) {
        String header = "AWS4-HMAC-SHA256 "
                + form.replace("=C", "=TRAINER01/20261120/us-east-1/s3/aws4_request")
                        .replace("=S", "=host;x-amz-date")
                        .replace("=G", "=" + HASH);
        SentRequest sent = SentRequest.to("GET", "/").withHeader("x-amz-date", "20261120T120000Z");

        assertRefused(verifier, sent.withHeader("authorization", header), Code.AUTHORIZATION_HEADER_MALFORMED);
    }

    @ParameterizedTest
    @ValueSource(strings = {", ", ",", " , ", ",   "})
    void spacesBetweenThePartsOfTheHeaderMeanNothing(String comma) throws Exception {
        String header = signed().header("authorization").replace(", ", comma);

        assertThat(verifier.verify(signed().withHeaderChanged("authorization", header)))
                .isInstanceOf(Authentication.Signed.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"us-east-1", "eu-central-1", "auto", "US", "no_such.region"})
    void anyRegionIsAccepted(String region) throws Exception {
        RequestSigner signer = new RequestSigner(TestKeys.TRAINER, TestKeys.TRAINER_SECRET, region);

        assertThat(verifier.verify(signed(signer, Map.of(), PayloadType.UNSIGNED)))
                .isInstanceOf(Authentication.Signed.class);
    }

    @ParameterizedTest
    @CsvSource({"-901, false", "-900, true", "-899, true", "0, true", "899, true", "900, true", "901, false"})
    void clocksMayBeFifteenMinutesApart(long seconds, boolean accepted) throws Exception {
        RequestVerifier later = TestKeys.verifierAt(TestKeys.NOW.plusSeconds(seconds));

        if (accepted) {
            assertThat(later.verify(signed())).isInstanceOf(Authentication.Signed.class);
        } else {
            assertRefused(later, signed(), Code.REQUEST_TIME_TOO_SKEWED);
        }
    }

    @Test
    void unknownSessionTokensAreRefused() {
        assertRefused(verifier, signed().withHeader("x-amz-security-token", "t"), Code.ACCESS_DENIED);
        assertRefused(verifier, presigned().withParameter("X-Amz-Security-Token", "t"), Code.INVALID_TOKEN);
        assertRefused(
                verifier, SentRequest.to("GET", "/b/k").withHeader("x-amz-security-token", "t"), Code.INVALID_TOKEN);
        assertRefused(
                verifier,
                SentRequest.to("GET", "/b/k?x-amz-security-token=t"),
                Code.AUTHORIZATION_QUERY_PARAMETERS_ERROR);
    }

    @Test
    void everyAmzHeaderMustBeSigned() {
        assertRefused(verifier, signed().withHeader("x-amz-acl", "public-read"), Code.ACCESS_DENIED);
        assertRefused(verifier, presigned().withHeader("x-amz-acl", "public-read"), Code.ACCESS_DENIED);
    }

    @Test
    void headerThatExtractsMustBeSigned() {
        assertRefused(verifier, signed().withHeader("x-minio-extract", "true"), Code.ACCESS_DENIED);
        assertRefused(verifier, presigned().withHeader("x-minio-extract", "true"), Code.ACCESS_DENIED);
    }

    @Test
    void everyAmzHeaderThatIsNotSignedIsNamed() {
        for (SentRequest sent : List.of(signed(), presigned())) {
            SentRequest changed = sent.withHeader("x-amz-tagging", "a=b").withHeader("x-amz-acl", "private");

            assertThatThrownBy(() -> verifier.verify(changed))
                    .isInstanceOfSatisfying(
                            RequestVerificationException.class,
                            refused -> assertThat(refused.details())
                                    .containsEntry("HeadersNotSigned", "x-amz-acl, x-amz-tagging"));
        }
    }

    @Test
    void twoHostsAreRefused() {
        assertRefused(verifier, signed().withHeader("host", "other.example"), Code.INVALID_REQUEST);
        assertRefused(verifier, presigned().withHeader("host", "other.example"), Code.INVALID_REQUEST);
    }

    @Test
    void headersThatAreNotAmzNeedNotBeSigned() throws Exception {
        assertThat(verifier.verify(signed().withHeader("user-agent", "x").withHeader("x-amzn-trace-id", "y")))
                .isInstanceOf(Authentication.Signed.class);
    }

    @Test
    void refusesAbsentSignedHeaderEvenIfEmpty() {
        SentRequest sent = signed(SIGNER, Map.of("x-amz-meta-empty", ""), PayloadType.UNSIGNED);

        assertThat(sent.headerNames()).contains("x-amz-meta-empty");
        assertRefused(verifier, sent.withoutHeader("x-amz-meta-empty"), Code.SIGNATURE_DOES_NOT_MATCH);
    }

    @Test
    void usesDateHeaderWithoutAmzDate() throws Exception {
        // Signed with x-amz-date left out of the signed headers, as version 4 allows where Date tells the time.
        SentRequest sent = SentRequest.to("GET", "/bucket/key")
                .withHeader("date", "Fri, 20 Nov 2026 12:00:00 GMT")
                .withHeader("x-amz-content-sha256", "UNSIGNED-PAYLOAD");

        assertThat(verifier.verify(TestSignature.addTo(sent, "20261120T120000Z")))
                .isInstanceOfSatisfying(
                        Authentication.Signed.class,
                        signed -> assertThat(signed.signedAt()).isEqualTo(TestKeys.NOW));
        assertRefused(
                verifier, TestSignature.addTo(sent.withoutHeader("date"), "20261120T120000Z"), Code.ACCESS_DENIED);
        assertRefused(
                verifier,
                TestSignature.addTo(sent.withHeaderChanged("date", "yesterday"), "20261120T120000Z"),
                Code.ACCESS_DENIED);
    }

    @ParameterizedTest
    @ValueSource(strings = {"20261120T120000", "2026-11-20T12:00:00Z", "20261120T250000Z", "20261120 120000Z", ""})
    void timeThatDoesNotParseIsRefused(String date) {
        assertRefused(verifier, signed().withHeaderChanged("x-amz-date", date), Code.ACCESS_DENIED);
    }

    @ParameterizedTest
    @CsvSource({
        "UNSIGNED-PAYLOAD",
        "STREAMING-AWS4-HMAC-SHA256-PAYLOAD",
        "STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER",
        "STREAMING-UNSIGNED-PAYLOAD-TRAILER",
        "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
    })
    void everyPayloadFormIsReportedAndSigned(String stated) throws Exception {
        PayloadType form = PayloadType.parse(stated).orElseThrow();

        Authentication.Signed signed = (Authentication.Signed) verifier.verify(signed(SIGNER, Map.of(), form));

        assertThat(signed.payload()).isEqualTo(form);
        assertThat(form.text()).isEqualTo(stated);
        assertThat(signed.chunkSeed().isPresent()).isEqualTo(form instanceof PayloadType.SignedChunks);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "unsigned-payload", "STREAMING-AWS4-ECDSA-P256-SHA256-PAYLOAD", "abc", "g123456789abcdef"})
    void payloadThatIsNoneIsRefused(String stated) {
        assertRefused(verifier, signed().withHeaderChanged("x-amz-content-sha256", stated), Code.INVALID_ARGUMENT);
    }

    @Test
    void statingNothingSignsAnEmptyBody() throws Exception {
        SentRequest sent = signed(SIGNER, Map.of(), PayloadType.UNSTATED);

        assertThat(sent.headerNames()).doesNotContain("x-amz-content-sha256");
        assertThat(((Authentication.Signed) verifier.verify(sent)).payload()).isEqualTo(PayloadType.UNSTATED);
    }

    @Test
    void unsignedRequestCannotAnnounceSignedChunks() {
        SentRequest sent =
                SentRequest.to("PUT", "/b/k").withHeader("x-amz-content-sha256", "STREAMING-AWS4-HMAC-SHA256-PAYLOAD");

        assertRefused(verifier, sent, Code.ACCESS_DENIED);
    }

    @Test
    void wrongSecretShowsWhatWasSignedAndNoSecret() {
        RequestSigner stranger = new RequestSigner(TestKeys.TRAINER, TestKeys.ADMIN_SECRET, "us-east-1");
        SentRequest sent = signed(
                stranger, Map.of("x-amz-server-side-encryption-customer-key", "c2&c2VjcmV0"), PayloadType.UNSIGNED);

        assertThatThrownBy(() -> verifier.verify(sent))
                .isInstanceOfSatisfying(RequestVerificationException.class, e -> {
                    assertThat(e.code()).isEqualTo(Code.SIGNATURE_DOES_NOT_MATCH);
                    assertThat(e.details()).containsOnlyKeys("AWSAccessKeyId", "StringToSign", "CanonicalRequest");
                    assertThat(e.details().get("CanonicalRequest"))
                            .startsWith("GET\n/bucket/key\n\nhost:" + SentRequest.HOST);
                    assertThat(e.details().toString())
                            .doesNotContain(
                                    "c2VjcmV0", TestKeys.TRAINER_SECRET.reveal(), TestKeys.ADMIN_SECRET.reveal());
                });
    }

    /** Clients that leave the hash out, and sign it all the same, have no other hint. */
    @Test
    void refusalNamesTheBodyThatWasAssumed() {
        RequestSigner stranger = new RequestSigner(TestKeys.TRAINER, TestKeys.ADMIN_SECRET, "us-east-1");

        assertThatThrownBy(() -> verifier.verify(signed(stranger, Map.of(), PayloadType.UNSTATED)))
                .hasMessageContaining("It has no x-amz-content-sha256");
        assertThatThrownBy(() -> verifier.verify(signed(stranger, Map.of(), PayloadType.UNSIGNED)))
                .hasMessageEndingWith("Check your key and signing method.");
    }

    @Test
    void refusalOfHalfASignatureNamesWhatIsMissing() {
        assertThatThrownBy(() -> verifier.verify(presigned().withoutParameter("X-Amz-Date")))
                .hasMessageContaining("X-Amz-SignedHeaders, and X-Amz-Expires");
        assertThatThrownBy(() -> verifier.verify(SentRequest.to("GET", "/b/k?AWSAccessKeyId=TRAINER01")))
                .hasMessage("The query has part of a signature, but no Signature.");
    }

    @Test
    void unknownAccessKeyIsRefusedWhateverItsSignature() {
        RequestSigner stranger = new RequestSigner("NOBODY01", TestKeys.TRAINER_SECRET, "us-east-1");

        assertRefused(verifier, signed(stranger, Map.of(), PayloadType.UNSIGNED), Code.INVALID_ACCESS_KEY_ID);
    }

    @Test
    void headerValuesAreBytes() throws Exception {
        SentRequest sent = SentRequest.to("GET", "/bucket/key")
                .withHeader("x-amz-meta-colour", "grün 🟢")
                .withHeader("x-amz-date", "20261120T120000Z");

        assertThat(verifier.verify(TestSignature.addTo(sent, "20261120T120000Z")))
                .isInstanceOf(Authentication.Signed.class);
    }
}
