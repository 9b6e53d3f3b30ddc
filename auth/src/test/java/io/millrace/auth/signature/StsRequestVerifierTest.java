package io.millrace.auth.signature;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.millrace.auth.AmzTimestamp;
import io.millrace.auth.CredentialScope;
import io.millrace.auth.RequestVerificationException;
import io.millrace.auth.RequestVerificationException.Code;
import io.millrace.auth.Sha256;
import io.millrace.auth.SignatureSettings;
import io.millrace.auth.SigningKey;
import io.millrace.auth.session.CredentialFinder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests who is let in to STS; StsTest has signatures of AWS's SDK. */
class StsRequestVerifierTest {
    private static final byte[] BODY = "Action=GetCallerIdentity&Version=2011-06-15".getBytes(StandardCharsets.UTF_8);

    private final StsRequestVerifier verifier = new StsRequestVerifier(
            CredentialFinder.of(TestKeys.identities(), () -> TestKeys.NOW),
            SignatureSettings.defaults(),
            () -> TestKeys.NOW);

    @Test
    void unsignedRequestIsRefused() {
        assertRefused(SentRequest.to("POST", "/"), Code.ACCESS_DENIED);
        assertRefused(SentRequest.to("POST", "/").withHeader("authorization", "Bearer x"), Code.ACCESS_DENIED);
        assertRefused(SentRequest.to("POST", "/").withHeader("authorization", "AWS key:signature"), Code.ACCESS_DENIED);
    }

    @Test
    void signatureForS3IsRefused() {
        assertRefused(TestSigner.signed(), Code.AUTHORIZATION_HEADER_MALFORMED);
    }

    @Test
    void signatureCoversTheBody() throws Exception {
        SentRequest sent = signed(TestKeys.TRAINER);

        assertThat(verifier.verify(sent, BODY).principal().name()).isEqualTo("trainer");
        assertThat(catchThrowableOfType(
                                RequestVerificationException.class, () -> verifier.verify(sent, new byte[] {'x'}))
                        .code())
                .isEqualTo(Code.SIGNATURE_DOES_NOT_MATCH);
        assertRefused(sent.withHeader("authorization", sent.header("authorization")), Code.ACCESS_DENIED);
        assertRefused(signed("NOBODY01"), Code.INVALID_ACCESS_KEY_ID);
    }

    /** Before anything is computed for a stranger. */
    @Test
    void keyIsKnownByItsName() {
        SentRequest sent = signed(TestKeys.TRAINER);

        assertThat(verifier.namesKnownKey(sent)).isTrue();
        assertThat(verifier.namesKnownKey(sent.withHeader("authorization", "x")))
                .isFalse();
        assertThat(verifier.namesKnownKey(SentRequest.to("POST", "/"))).isFalse();
        assertThat(verifier.namesKnownKey(signed("NOBODY01"))).isFalse();
        assertThat(verifier.namesKnownKey(sent.withHeader("x-amz-security-token", "of nobody")))
                .isFalse();
    }

    /** As an SDK signs a request to STS. */
    private static SentRequest signed(String accessKey) {
        String timestamp = AmzTimestamp.format(TestKeys.NOW);
        CredentialScope scope = new CredentialScope(AmzTimestamp.date(timestamp), "us-east-1", "sts");
        CanonicalRequest.Builder canonical = CanonicalRequest.of("POST", "/");
        canonical.header("host", List.of(SentRequest.HOST));
        canonical.header("x-amz-date", List.of(timestamp));
        String signature = SigningKey.derive(TestKeys.TRAINER_SECRET.reveal(), scope)
                .sign(canonical.build(Sha256.hex(BODY)).stringToSign(timestamp, scope));
        return SentRequest.to("POST", "/")
                .withHeader("x-amz-date", timestamp)
                .withHeader(
                        "authorization",
                        "AWS4-HMAC-SHA256 Credential=%s/%s, SignedHeaders=host;x-amz-date, Signature=%s"
                                .formatted(accessKey, scope.text(), signature));
    }

    private void assertRefused(SentRequest request, Code code) {
        RequestVerificationException refused =
                catchThrowableOfType(RequestVerificationException.class, () -> verifier.verify(request, BODY));
        assertThat(refused.code()).as(refused.getMessage()).isEqualTo(code);
    }
}
