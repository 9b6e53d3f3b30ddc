package io.millrace.auth.signature;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.millrace.auth.RequestVerificationException;
import io.millrace.auth.RequestVerificationException.Code;
import io.millrace.auth.SignatureSettings;
import io.millrace.auth.session.CredentialFinder;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/** The signature itself is tested with AWS's SDK, by StsTest. */
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

    private void assertRefused(SentRequest request, Code code) {
        RequestVerificationException refused =
                catchThrowableOfType(RequestVerificationException.class, () -> verifier.verify(request, BODY));
        assertThat(refused.code()).as(refused.getMessage()).isEqualTo(code);
    }
}
