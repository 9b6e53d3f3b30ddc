package io.millrace.auth.signature;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.auth.Authentication;
import io.millrace.auth.ChunkSignatureSeed;
import io.millrace.auth.IdentityRegistry;
import io.millrace.auth.IdentitySettings;
import io.millrace.auth.PayloadType;
import io.millrace.auth.RequestVerificationException;
import io.millrace.auth.SignatureScheme;
import io.millrace.auth.SignatureSettings;
import io.millrace.auth.policy.AllowRule;
import io.millrace.config.Secret;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Tests the worked examples in S3's documentation of authentication. AWS's vectors are for another service; these show
 * what S3 does differently: the path as sent, the payload's hash in a header, {@code UNSIGNED-PAYLOAD} where presigned,
 * chunks.
 */
class S3ExamplesTest {
    private static final String NOTHING = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

    private final IdentityRegistry identities = IdentityRegistry.of(List.of(new IdentitySettings(
            "reader",
            "AKIAIOSFODNN7EXAMPLE",
            Secret.of("wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"),
            List.of(AllowRule.parse("*")))));

    private final RequestVerifier verifier = verifierAt(Instant.parse("2013-05-24T00:00:00Z"));

    @Test
    void getObjectWithARange() throws Exception {
        SentRequest sent = to("GET", "/test.txt", NOTHING).withHeader("range", "bytes=0-9");

        assertThat(verify(signed(sent, "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41")))
                .returns(SignatureScheme.V4_HEADER, Authentication.Signed::scheme)
                .returns(new PayloadType.Sha256(NOTHING), Authentication.Signed::payload);
    }

    @Test
    void putObjectWithADateAndAnOddKey() throws Exception {
        SentRequest sent = to(
                        "PUT", "/test$file.text", "44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072")
                .withHeader("date", "Fri, 24 May 2013 00:00:00 GMT")
                .withHeader("x-amz-storage-class", "REDUCED_REDUNDANCY");

        assertThat(verify(signed(sent, "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd")))
                .returns("reader", signed -> signed.principal().name());
    }

    @Test
    void getBucketLifecycle() throws Exception {
        SentRequest sent = to("GET", "/?lifecycle", NOTHING);

        assertThat(verify(signed(sent, "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543")))
                .isNotNull();
    }

    @Test
    void listObjects() throws Exception {
        SentRequest sent = to("GET", "/?max-keys=2&prefix=J", NOTHING);

        assertThat(verify(signed(sent, "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7")))
                .isNotNull();
    }

    @Test
    void presignedGetObject() throws Exception {
        SentRequest sent = SentRequest.to(
                        "GET",
                        "/test.txt?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20130524"
                                + "%2Fus-east-1%2Fs3%2Faws4_request&X-Amz-Date=20130524T000000Z&X-Amz-Expires=86400"
                                + "&X-Amz-SignedHeaders=host&X-Amz-Signature="
                                + "aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404")
                .withHeaderChanged("host", "examplebucket.s3.amazonaws.com");

        assertThat(verify(sent))
                .returns(SignatureScheme.V4_QUERY, Authentication.Signed::scheme)
                .returns(PayloadType.UNSIGNED, Authentication.Signed::payload);
    }

    @Test
    void chunkedUploadAndItsThreeChunks() throws Exception {
        SentRequest sent = SentRequest.to("PUT", "/examplebucket/chunkObject.txt")
                .withHeaderChanged("host", "s3.amazonaws.com")
                .withHeader("content-encoding", "aws-chunked")
                .withHeader("content-length", "66824")
                .withHeader("x-amz-content-sha256", "STREAMING-AWS4-HMAC-SHA256-PAYLOAD")
                .withHeader("x-amz-date", "20130524T000000Z")
                .withHeader("x-amz-decoded-content-length", "66560")
                .withHeader("x-amz-storage-class", "REDUCED_REDUNDANCY");

        Authentication.Signed signed =
                verify(signed(sent, "4f232c4386841ef735655705268965c44a0e4690baa4adea153f7db9fa80a0a9"));

        assertThat(signed.payload()).isEqualTo(new PayloadType.SignedChunks(false));
        ChunkSignatureSeed seed = signed.chunkSeed().orElseThrow();
        String first = sign(seed, seed.signature(), "bf718b6f653bebc184e1479f1935b8da974d701b893afcf49e701f3e2f9f9c5a");
        assertThat(first).isEqualTo("ad80c730a21e5b8d04586a2213dd63b9a0e99e0e2307b0ade35a65485a288648");
        String second = sign(seed, first, "2edc986847e209b4016e141a6dc8716d3207350f416969382d431539bf292e4a");
        assertThat(second).isEqualTo("0055627c9e194cb4542bae2aa5492e3c1575bbb81b612b7d234b86a503ef5497");
        assertThat(sign(seed, second, NOTHING))
                .isEqualTo("b6c6ea8a5354eaf15b3cb7646744f4275b71ea724fed81ceb9323e279d449df9");
    }

    @Test
    void presignedWithVersion2() throws Exception {
        SentRequest sent = SentRequest.to(
                        "GET",
                        "/photos/puppy.jpg?AWSAccessKeyId=AKIAIOSFODNN7EXAMPLE"
                                + "&Signature=NpgCjnDzrM%2BWFzoENXmpNDUsSn8%3D&Expires=1175139620")
                .withHeaderChanged("host", "johnsmith.s3.amazonaws.com")
                .withBucketInHost("johnsmith");

        assertThat(verifierAt(Instant.ofEpochSecond(1175139620)).verify(sent))
                .isInstanceOfSatisfying(
                        Authentication.Signed.class,
                        signed -> assertThat(signed.scheme()).isEqualTo(SignatureScheme.V2_QUERY));
    }

    private Authentication.Signed verify(SentRequest sent) throws RequestVerificationException {
        return (Authentication.Signed) verifier.verify(sent);
    }

    private RequestVerifier verifierAt(Instant now) {
        return new RequestVerifier(identities, SignatureSettings.defaults(), InstantSource.fixed(now));
    }

    private static SentRequest to(String method, String target, String payload) {
        return SentRequest.to(method, target)
                .withHeaderChanged("host", "examplebucket.s3.amazonaws.com")
                .withHeader("x-amz-content-sha256", payload)
                .withHeader("x-amz-date", "20130524T000000Z");
    }

    private static SentRequest signed(SentRequest sent, String signature) {
        return sent.withHeader(
                "authorization",
                "AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request,SignedHeaders="
                        + String.join(";", sent.headerNames().stream().sorted().toList()) + ",Signature=" + signature);
    }

    private static String sign(ChunkSignatureSeed seed, String previous, String chunkHash) {
        return seed.sign(String.join(
                "\n", "AWS4-HMAC-SHA256-PAYLOAD", seed.timestamp(), seed.scope(), previous, NOTHING, chunkHash));
    }
}
