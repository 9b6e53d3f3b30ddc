package io.millrace.auth.signature;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.auth.Authentication;
import io.millrace.auth.PayloadType;
import io.millrace.auth.RequestVerificationException;
import io.millrace.auth.RequestVerificationException.Code;
import io.millrace.auth.SignatureScheme;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.Base64;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests presigned URLs of version 2, boto3's default. Version 2 signs little (no host, few parameters), so unsigned
 * parts must not change what the request does. Each test writes out its string to sign as in S3's documentation.
 */
class Version2Test {
    private static final String EXPIRES = Long.toString(TestKeys.NOW.getEpochSecond() + 3600);

    private final RequestVerifier verifier = TestKeys.verifier();

    @Test
    void pathStyleGetIsAccepted() throws Exception {
        SentRequest sent = SentRequest.to("GET", "/bucket/a%20key%2Bplus");

        assertSigned(signed(sent, "GET\n\n\n" + EXPIRES + "\n/bucket/a%20key%2Bplus"));
    }

    @Test
    void signsThePathAsSentOrElseEncoded() throws Exception {
        SentRequest sent = SentRequest.to("GET", "/bucket/a(b)!~%7E");

        assertSigned(signed(sent, "GET\n\n\n" + EXPIRES + "\n/bucket/a(b)!~%7E"));
        assertSigned(signed(sent.withPath(sent.path()), "GET\n\n\n" + EXPIRES + "\n/bucket/a%28b%29%21~~"));
    }

    @Test
    void bucketOfTheHostIsSigned() throws Exception {
        SentRequest sent = SentRequest.to("GET", "/other/key").withBucketInHost("bucket");

        assertSigned(signed(sent, "GET\n\n\n" + EXPIRES + "\n/bucket/other/key"));
        // The same path in path style is another object's.
        assertRefused(signed(sent, "GET\n\n\n" + EXPIRES + "\n/other/key"), Code.SIGNATURE_DOES_NOT_MATCH);
    }

    @Test
    void subResourcesAreSignedSortedAndDecoded() throws Exception {
        SentRequest sent = SentRequest.to(
                "GET",
                "/bucket/key?versionId=a%2Fb&acl&response-content-disposition=attachment%3B%20filename%3D%22%C3%A4%22"
                        + "&list-type=2&prefix=x");

        assertSigned(signed(
                sent,
                "GET\n\n\n" + EXPIRES + "\n/bucket/key?acl&response-content-disposition=attachment; filename=\"ä\""
                        + "&versionId=a/b"));
    }

    @Test
    void signsHeadersSentInTheQueryToo() throws Exception {
        String toSign = "PUT\nbWQ1\ntext/plain\n" + EXPIRES + "\nx-amz-acl:private\nx-amz-meta-a:1,2\n/bucket/key";
        SentRequest inHeaders = SentRequest.to("PUT", "/bucket/key")
                .withHeader("content-md5", "bWQ1")
                .withHeader("content-type", " text/plain ")
                .withHeader("x-amz-meta-a", "1")
                .withHeader("x-amz-acl", "private")
                .withHeader("x-amz-meta-a", " 2 ");
        SentRequest inQuery = SentRequest.to(
                "PUT", "/bucket/key?content-md5=bWQ1&content-type=text%2Fplain&x-amz-acl=private&x-amz-meta-a=1%2C2");

        assertSigned(signed(inHeaders, toSign));
        assertSigned(signed(inQuery, toSign));
    }

    @Test
    void amzHeaderCannotBeInBothPlaces() {
        SentRequest sent =
                SentRequest.to("PUT", "/bucket/key?x-amz-acl=private").withHeader("x-amz-acl", "private");

        assertRefused(signed(sent, ""), Code.INVALID_ARGUMENT);
    }

    @Test
    void contentTypeHeaderOverridesTheQuery() throws Exception {
        SentRequest sent =
                SentRequest.to("PUT", "/bucket/key?content-type=text%2Fhtml").withHeader("content-type", "text/plain");

        assertSigned(signed(sent, "PUT\n\ntext/plain\n" + EXPIRES + "\n/bucket/key"));
        assertRefused(signed(sent, "PUT\n\ntext/html\n" + EXPIRES + "\n/bucket/key"), Code.SIGNATURE_DOES_NOT_MATCH);
    }

    @ParameterizedTest
    @ValueSource(strings = {"attributes", "legal-hold", "retention", "encryption", "ACL", "foo", "policyStatus"})
    void refusesUnsignedParameterThatChangesMeaning(String name) {
        SentRequest sent = SentRequest.to("GET", "/bucket/key?" + name);

        assertRefused(signed(sent, "GET\n\n\n" + EXPIRES + "\n/bucket/key"), Code.ACCESS_DENIED);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"acl", "tagging", "uploads", "versionId=1", "partNumber=1", "response-expires=x", "object-lock"})
    void signedParameterCannotBeAdded(String parameter) {
        SentRequest sent = SentRequest.to("GET", "/bucket/key?" + parameter);

        assertRefused(signed(sent, "GET\n\n\n" + EXPIRES + "\n/bucket/key"), Code.SIGNATURE_DOES_NOT_MATCH);
    }

    @ParameterizedTest
    @CsvSource({"HEAD, /bucket/key", "PUT, /bucket/key", "GET, /bucket/keys", "GET, /bucket//key", "GET, /bucket/Key"})
    void methodAndPathCannotBeChanged(String method, String path) {
        assertRefused(
                signed(SentRequest.to(method, path), "GET\n\n\n" + EXPIRES + "\n/bucket/key"),
                Code.SIGNATURE_DOES_NOT_MATCH);
    }

    @Test
    void amzHeaderCannotBeAdded() {
        SentRequest sent = SentRequest.to("GET", "/bucket/key").withHeader("x-amz-copy-source", "/other/key");

        assertRefused(signed(sent, "GET\n\n\n" + EXPIRES + "\n/bucket/key"), Code.SIGNATURE_DOES_NOT_MATCH);
    }

    @Test
    void payloadItStatesIsReported() throws Exception {
        SentRequest sent = SentRequest.to("PUT", "/bucket/key");

        assertThat(payload(sent, "STREAMING-UNSIGNED-PAYLOAD-TRAILER"))
                .isEqualTo(new PayloadType.UnsignedChunksWithTrailer());
        assertThat(((Authentication.Signed) verifier.verify(signed(sent, "PUT\n\n\n" + EXPIRES + "\n/bucket/key")))
                        .payload())
                .isEqualTo(PayloadType.UNSIGNED);
        assertRefused(
                signed(sent.withHeader("x-amz-content-sha256", "STREAMING-AWS4-HMAC-SHA256-PAYLOAD"), ""),
                Code.INVALID_ARGUMENT);
    }

    @Test
    void itIsGoodToTheSecondOfItsEnd() throws Exception {
        SentRequest sent = signed(SentRequest.to("GET", "/b/k"), "GET\n\n\n" + EXPIRES + "\n/b/k");

        assertThat(TestKeys.verifierAt(TestKeys.NOW.plusSeconds(3600)).verify(sent))
                .isInstanceOf(Authentication.Signed.class);
        assertThatThrownBy(() ->
                        TestKeys.verifierAt(TestKeys.NOW.plusSeconds(3601)).verify(sent))
                .isInstanceOfSatisfying(
                        RequestVerificationException.class,
                        e -> assertThat(e.code()).isEqualTo(Code.EXPIRED));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "-1", "tomorrow", "1e12", "9999999999999", "Fri, 20 Nov 2026 12:00:00 GMT"})
    void endMustBeANumber(String expires) {
        SentRequest sent = signed(SentRequest.to("GET", "/b/k"), "GET\n\n\n" + EXPIRES + "\n/b/k");

        assertRefused(sent.withParameterChanged("Expires", expires), Code.ACCESS_DENIED);
    }

    @Test
    void endCannotBeMoved() {
        SentRequest sent = signed(SentRequest.to("GET", "/b/k"), "GET\n\n\n" + EXPIRES + "\n/b/k");

        assertRefused(sent.withParameterChanged("Expires", EXPIRES + "0"), Code.SIGNATURE_DOES_NOT_MATCH);
    }

    @Test
    void refusesOtherAndUnknownAccessKeys() {
        SentRequest sent = signed(SentRequest.to("GET", "/b/k"), "GET\n\n\n" + EXPIRES + "\n/b/k");

        assertRefused(sent.withParameterChanged("AWSAccessKeyId", TestKeys.ADMIN), Code.SIGNATURE_DOES_NOT_MATCH);
        assertRefused(sent.withParameterChanged("AWSAccessKeyId", "NOBODY01"), Code.INVALID_ACCESS_KEY_ID);
        assertRefused(sent.withParameterChanged("AWSAccessKeyId", ""), Code.INVALID_ACCESS_KEY_ID);
    }

    @Test
    void settingDisablesVersion2WithRemedyInMessage() {
        SentRequest sent = signed(SentRequest.to("GET", "/b/k"), "GET\n\n\n" + EXPIRES + "\n/b/k");

        assertThatThrownBy(() -> TestKeys.verifierWithoutVersion2().verify(sent))
                .hasMessageContaining("s3v4")
                .isInstanceOfSatisfying(
                        RequestVerificationException.class,
                        e -> assertThat(e.code()).isEqualTo(Code.INVALID_REQUEST));
    }

    /** A URL that boto3 presigns with keys of a session, unless it is told to use version 4. */
    @Test
    void sessionTokenInTheQueryIsRefusedWithRemedyInMessage() {
        SentRequest sent = SentRequest.to("GET", "/b/k").withParameter("x-amz-security-token", "token");

        assertThatThrownBy(() -> verifier.verify(signed(sent, "GET\n\n\n" + EXPIRES + "\n/b/k")))
                .hasMessageContaining("s3v4")
                .isInstanceOfSatisfying(
                        RequestVerificationException.class,
                        e -> assertThat(e.code()).isEqualTo(Code.INVALID_TOKEN));
    }

    /** A signature of version 2 proves no session, so what it signs must not look like the token of one. */
    @Test
    void sessionTokenInASignedHeaderIsRefused() throws Exception {
        assertSigned(signedWith("x-amz-request-payer"));
        assertRefused(signedWith("x-amz-security-token"), Code.INVALID_TOKEN);
    }

    private static SentRequest signedWith(String header) {
        return signed(
                SentRequest.to("GET", "/b/k").withHeader(header, "t"),
                "GET\n\n\n" + EXPIRES + '\n' + header + ":t\n/b/k");
    }

    private PayloadType payload(SentRequest sent, String stated) throws RequestVerificationException {
        String toSign = "PUT\n\n\n" + EXPIRES + "\nx-amz-content-sha256:" + stated + "\n/bucket/key";
        SentRequest signed = signed(sent.withHeader("x-amz-content-sha256", stated), toSign);
        return ((Authentication.Signed) verifier.verify(signed)).payload();
    }

    /** Good for an hour. */
    static SentRequest presigned() {
        return signed(SentRequest.to("GET", "/b/k"), "GET\n\n\n" + EXPIRES + "\n/b/k");
    }

    private static SentRequest signed(SentRequest sent, String stringToSign) {
        try {
            Mac mac = Mac.getInstance("HmacSHA1");
            mac.init(new SecretKeySpec(TestKeys.TRAINER_SECRET.reveal().getBytes(StandardCharsets.UTF_8), "HmacSHA1"));
            byte[] signature = mac.doFinal(stringToSign.getBytes(StandardCharsets.UTF_8));
            return sent.withParameter("AWSAccessKeyId", TestKeys.TRAINER)
                    .withParameter("Signature", Base64.getEncoder().encodeToString(signature))
                    .withParameter("Expires", EXPIRES);
        } catch (GeneralSecurityException e) {
            throw new AssertionError(e);
        }
    }

    private void assertSigned(SentRequest sent) throws RequestVerificationException {
        assertThat(verifier.verify(sent))
                .isInstanceOfSatisfying(
                        Authentication.Signed.class,
                        signed -> assertThat(signed.scheme()).isEqualTo(SignatureScheme.V2_QUERY));
    }

    private void assertRefused(SentRequest sent, Code code) {
        assertThatThrownBy(() -> verifier.verify(sent))
                .isInstanceOfSatisfying(
                        RequestVerificationException.class,
                        e -> assertThat(e.code()).isEqualTo(code));
    }
}
