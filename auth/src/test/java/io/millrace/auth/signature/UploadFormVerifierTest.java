package io.millrace.auth.signature;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.auth.Authentication;
import io.millrace.auth.RequestVerificationException;
import io.millrace.auth.RequestVerificationException.Code;
import io.millrace.auth.SignatureScheme;
import java.time.Instant;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests that a form can do no more than its policy allows. Anyone with the form can write in the signer's name. Other
 * servers have left conditions unevaluated, or let a form's bucket field choose the bucket.
 */
class UploadFormVerifierTest {
    /** The example of AWS's page, byte for byte. */
    private static final String EXAMPLE = """
            { "expiration": "2015-12-30T12:00:00.000Z",
              "conditions": [
                {"bucket": "sigv4examplebucket"},
                ["starts-with", "$key", "user/user1/"],
                {"acl": "public-read"},
                {"success_action_redirect": "http://sigv4examplebucket.s3.amazonaws.com/successful_upload.html"},
                ["starts-with", "$Content-Type", "image/"],
                {"x-amz-meta-uuid": "14365123651274"},
                {"x-amz-server-side-encryption": "AES256"},
                ["starts-with", "$x-amz-meta-tag", ""],

                {"x-amz-credential": "AKIAIOSFODNN7EXAMPLE/20151229/us-east-1/s3/aws4_request"},
                {"x-amz-algorithm": "AWS4-HMAC-SHA256"},
                {"x-amz-date": "20151229T000000Z" }
              ]
            }""".replace("\n", "\r\n");

    private static final Form AWS_EXAMPLE = new Form(new TreeMap<>(Map.of(
                    "key", "user/user1/MyPhoto.jpg",
                    "acl", "public-read",
                    "success_action_redirect", "http://sigv4examplebucket.s3.amazonaws.com/successful_upload.html",
                    "content-type", "image/jpeg",
                    "x-amz-meta-uuid", "14365123651274",
                    "x-amz-server-side-encryption", "AES256",
                    "x-amz-credential", "AKIAIOSFODNN7EXAMPLE/20151229/us-east-1/s3/aws4_request",
                    "x-amz-algorithm", "AWS4-HMAC-SHA256",
                    "x-amz-date", "20151229T000000Z",
                    "x-amz-meta-tag", "")))
            .with("policy", Form.base64(EXAMPLE))
            .with("x-amz-signature", "8afdbf4008c03f22c2cd3cdb72e4afbb1f6a588f3255ac628749a66d7f09699e");

    @Test
    void exampleOfAwsIsAccepted() throws Exception {
        UploadFormVerification grant = AWS_EXAMPLE.verify();

        assertThat(grant.authentication()).isInstanceOfSatisfying(Authentication.Signed.class, signed -> {
            assertThat(signed.principal().name()).isEqualTo("uploader");
            assertThat(signed.scheme()).isEqualTo(SignatureScheme.V4_FORM);
        });
        assertThat(grant.length()).isEqualTo(ContentLengthRange.ANY);
    }

    @ParameterizedTest
    @CsvSource({
        "key, user/user2/MyPhoto.jpg",
        "acl, private",
        "success_action_redirect, http://elsewhere/",
        "content-type, text/html",
        "'content-type', 'image/png,text/html'",
        "x-amz-meta-uuid, 1",
        "x-amz-server-side-encryption, aws:kms",
        "x-amz-storage-class, GLACIER",
        "bucket, other"
    })
    void refusesChangedOrAddedFields(String name, String value) {
        assertRefused(AWS_EXAMPLE.with(name, value), Code.ACCESS_DENIED);
    }

    @Test
    void noFieldOfTheExampleCanBeLeftOut() {
        for (String name : AWS_EXAMPLE.fields().keySet()) {
            assertRefused(AWS_EXAMPLE.without(name), Code.ACCESS_DENIED, Code.INVALID_ARGUMENT);
        }
    }

    @Test
    void formIsGoodForItsBucketOnly() {
        assertThatThrownBy(() -> AWS_EXAMPLE.verify(Form.NOW, "other"))
                .hasMessageContaining("[\"eq\", \"$bucket\", \"sigv4examplebucket\"]");
    }

    @Test
    void formEndsWithItsPolicy() throws Exception {
        assertThat(AWS_EXAMPLE.verify(Instant.parse("2015-12-30T12:00:00Z"), Form.BUCKET))
                .isNotNull();
        assertThatThrownBy(() -> AWS_EXAMPLE.verify(Instant.parse("2015-12-30T12:00:00.001Z"), Form.BUCKET))
                .hasMessage("Invalid according to Policy: Policy expired.");
    }

    @Test
    void refusesWeekOldAndFutureForms() throws Exception {
        Form form = Form.withPolicy(Form.policy(
                "2030-01-01T00:00:00Z",
                "{\"bucket\": \"sigv4examplebucket\"}, {\"key\": \"a/b\"}, [\"starts-with\", \"$x-amz-credential\","
                        + " \"\"], [\"starts-with\", \"$x-amz-algorithm\", \"\"], [\"starts-with\", \"$x-amz-date\","
                        + " \"\"]"));

        assertThat(form.verify(Instant.parse("2016-01-05T00:00:00Z"), Form.BUCKET))
                .isNotNull();
        assertThatThrownBy(() -> form.verify(Instant.parse("2016-01-05T00:00:01Z"), Form.BUCKET))
                .isInstanceOfSatisfying(
                        RequestVerificationException.class,
                        e -> assertThat(e.code()).isEqualTo(Code.EXPIRED));
        assertThat(form.verify(Instant.parse("2015-12-28T23:45:00Z"), Form.BUCKET))
                .isNotNull();
        assertThatThrownBy(() -> form.verify(Instant.parse("2015-12-28T23:44:59Z"), Form.BUCKET))
                .isInstanceOf(RequestVerificationException.class);
    }

    @Test
    void everyChangedCharacterOfThePolicyIsFound() {
        String policy = AWS_EXAMPLE.field("policy");
        for (int i = 0; i < policy.length(); i++) {
            char other = policy.charAt(i) == 'A' ? 'B' : 'A';
            String changed = policy.substring(0, i) + other + policy.substring(i + 1);
            assertRefused(AWS_EXAMPLE.with("policy", changed), Code.SIGNATURE_DOES_NOT_MATCH);
        }
    }

    @Test
    void everyChangedCharacterOfTheSignatureIsFound() {
        String signature = AWS_EXAMPLE.field("x-amz-signature");
        for (int i = 0; i < signature.length(); i++) {
            char other = signature.charAt(i) == '0' ? '1' : '0';
            String changed = signature.substring(0, i) + other + signature.substring(i + 1);
            assertRefused(AWS_EXAMPLE.with("x-amz-signature", changed), Code.SIGNATURE_DOES_NOT_MATCH);
        }
        assertRefused(
                AWS_EXAMPLE.with("x-amz-signature", signature.toUpperCase(Locale.ROOT)), Code.SIGNATURE_DOES_NOT_MATCH);
        assertRefused(AWS_EXAMPLE.with("x-amz-signature", ""), Code.SIGNATURE_DOES_NOT_MATCH);
    }

    @ParameterizedTest
    @CsvSource({
        "x-amz-algorithm, AWS4-HMAC-SHA1, INVALID_ARGUMENT",
        "x-amz-algorithm, '', INVALID_ARGUMENT",
        "x-amz-date, yesterday, INVALID_ARGUMENT",
        "x-amz-date, 20151228T000000Z, INVALID_ARGUMENT",
        "x-amz-credential, malformed-no-slashes, INVALID_ARGUMENT",
        "x-amz-credential, AKIAIOSFODNN7EXAMPLE/20151229/us-east-1/sts/aws4_request, INVALID_ARGUMENT",
        "x-amz-credential, AKIAIOSFODNN7EXAMPLE/20151228/us-east-1/s3/aws4_request, INVALID_ARGUMENT",
        "x-amz-credential, AKIAIOSFODNN7EXAMPLE/20151229/eu-west-1/s3/aws4_request, SIGNATURE_DOES_NOT_MATCH",
        "x-amz-credential, NOBODY/20151229/us-east-1/s3/aws4_request, INVALID_ACCESS_KEY_ID",
        "x-amz-security-token, token, INVALID_TOKEN",
        "awsaccesskeyid, AKIAIOSFODNN7EXAMPLE, INVALID_ARGUMENT",
        "signature, AAAA, INVALID_ARGUMENT"
    })
    void signatureFieldsMustBeOfOneSignature(String name, String value, Code code) {
        assertRefused(AWS_EXAMPLE.with(name, value), code);
    }

    @ParameterizedTest
    @ValueSource(strings = {"policy", "x-amz-algorithm", "x-amz-credential", "x-amz-date", "x-amz-signature"})
    void refusalNamesTheMissingSignatureField(String name) {
        assertThatThrownBy(() -> AWS_EXAMPLE.without(name).verify())
                .hasMessageContaining("must contain a field named '" + name + "'")
                .isInstanceOfSatisfying(RequestVerificationException.class, e -> {
                    assertThat(e.code()).isEqualTo(Code.INVALID_ARGUMENT);
                    assertThat(e.details()).containsEntry("ArgumentName", name);
                });
    }

    @Test
    void policyAloneIsHalfASignature() {
        assertRefused(Form.unsigned().with("policy", AWS_EXAMPLE.field("policy")), Code.INVALID_ARGUMENT);
    }

    @Test
    void formOfVersion2IsAccepted() throws Exception {
        UploadFormVerification grant =
                Form.version2("[\"content-length-range\", 1, 10]").verify();

        assertThat(grant.authentication())
                .isInstanceOfSatisfying(
                        Authentication.Signed.class,
                        signed -> assertThat(signed.scheme()).isEqualTo(SignatureScheme.V2_FORM));
        assertThat(grant.length()).isEqualTo(new ContentLengthRange(1, 10));
    }

    @Test
    void formOfVersion2IsHeldToItsPolicyToo() {
        Form form = Form.version2();

        assertRefused(form.with("key", "a/c"), Code.ACCESS_DENIED);
        assertRefused(form.with("acl", "private"), Code.ACCESS_DENIED);
        assertRefused(form.with("signature", "AAAAAAAAAAAAAAAAAAAAAAAAAAA="), Code.SIGNATURE_DOES_NOT_MATCH);
        assertRefused(form.with("awsaccesskeyid", "NOBODY"), Code.INVALID_ACCESS_KEY_ID);
        assertRefused(form.without("signature"), Code.INVALID_ARGUMENT);
        assertRefused(form.without("awsaccesskeyid"), Code.INVALID_ARGUMENT);
        assertRefused(form.without("policy"), Code.INVALID_ARGUMENT);
        assertThatThrownBy(() -> form.verify(Instant.parse("2015-12-30T12:00:01Z"), Form.BUCKET))
                .hasMessageContaining("Policy expired");
    }

    @Test
    void version2CanBeTurnedOff() {
        assertThatThrownBy(() -> Form.verifier(Form.NOW, Form.withoutVersion2())
                        .verify(Form.version2().fields(), Form.BUCKET))
                .hasMessageContaining("s3v4")
                .isInstanceOf(RequestVerificationException.class);
    }

    @Test
    void formWithoutSignatureIsAnonymous() throws Exception {
        UploadFormVerification grant =
                Form.unsigned().with("content-type", "text/plain").verify();

        assertThat(grant.authentication()).isInstanceOf(Authentication.Anonymous.class);
        assertThat(grant.length()).isEqualTo(ContentLengthRange.ANY);
    }

    private static void assertRefused(Form form, Code... codes) {
        assertThatThrownBy(form::verify)
                .isInstanceOfSatisfying(
                        RequestVerificationException.class,
                        e -> assertThat(codes).contains(e.code()));
    }
}
