package io.millrace.auth.signature;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.auth.Authentication;
import io.millrace.auth.PayloadType;
import io.millrace.config.Secret;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the signer against S3's own examples, because signer and verifier share code. */
class RequestSignerTest {
    private static final Instant AT = Instant.parse("2013-05-24T00:00:00Z");
    private final RequestSigner signer = new RequestSigner(
            "AKIAIOSFODNN7EXAMPLE", Secret.of("wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"), "us-east-1");

    @Test
    void signsS3sExampleInTheHeader() {
        Map<String, String> added = signer.sign(
                URI.create("https://examplebucket.s3.amazonaws.com/test.txt"),
                "GET",
                Map.of("Range", "bytes=0-9"),
                new PayloadType.Sha256("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
                AT);

        assertThat(added).containsOnlyKeys("x-amz-date", "x-amz-content-sha256", "authorization");
        assertThat(added.get("authorization"))
                .isEqualTo("AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request, "
                        + "SignedHeaders=host;range;x-amz-content-sha256;x-amz-date, Signature="
                        + "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41");
    }

    @Test
    void presignsS3sExample() {
        URI presigned = signer.presign(
                URI.create("https://examplebucket.s3.amazonaws.com/test.txt"), "GET", Duration.ofDays(1), AT);

        assertThat(presigned)
                .hasToString("https://examplebucket.s3.amazonaws.com/test.txt?X-Amz-Algorithm=AWS4-HMAC-SHA256"
                        + "&X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20130524%2Fus-east-1%2Fs3%2Faws4_request"
                        + "&X-Amz-Date=20130524T000000Z&X-Amz-Expires=86400&X-Amz-SignedHeaders=host"
                        + "&X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404");
    }

    @ParameterizedTest
    @CsvSource({
        "http://s3.local, s3.local",
        "http://s3.local:80/a, s3.local",
        "https://s3.local:443/a, s3.local",
        "http://s3.local:443/a, s3.local:443",
        "http://s3.local:0/a?acl&=x, s3.local:0",
        "http://s3.local:9080/a%2Fb?x=%2B, s3.local:9080",
        "http://[::1]:9080//a/../b, [::1]:9080"
    })
    void verifierAcceptsWhatItSigns(URI uri, String host) throws Exception {
        RequestSigner trainer = new RequestSigner(TestKeys.TRAINER, TestKeys.TRAINER_SECRET, "us-east-1");
        String path = uri.getRawPath().isEmpty() ? "/" : uri.getRawPath();
        SentRequest sent = SentRequest.to("GET", uri.getRawQuery() == null ? path : path + '?' + uri.getRawQuery())
                .withHeaderChanged("host", host);
        for (Map.Entry<String, String> header : trainer.sign(uri, "GET", Map.of(), PayloadType.UNSIGNED, TestKeys.NOW)
                .entrySet()) {
            sent = sent.withHeader(header.getKey(), header.getValue());
        }
        URI presigned = trainer.presign(uri, "GET", Duration.ofMinutes(1), TestKeys.NOW);

        assertThat(TestKeys.verifier().verify(sent)).isInstanceOf(Authentication.Signed.class);
        assertThat(TestKeys.verifier()
                        .verify(SentRequest.to("GET", presigned.getRawPath() + '?' + presigned.getRawQuery())
                                .withHeaderChanged("host", host)))
                .isInstanceOf(Authentication.Signed.class);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "http://s3.local/a?b=c+d",
                "http://s3.local/a?+b",
                "http://s3.local/a?X-Amz-Date=20130524T000000Z",
                "http://s3.local/a?Signature=x",
                "/relative"
            })
    void uriThatCannotBeSignedIsRefused(URI uri) {
        assertThatThrownBy(() -> signer.sign(uri, "GET", Map.of(), PayloadType.UNSIGNED, AT))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> signer.presign(uri, "GET", Duration.ofMinutes(1), AT))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"PT0S", "PT0.9S", "PT-1S", "PT168H0.001S"})
    void presignsForASecondToAWeek(Duration validity) {
        assertThatThrownBy(() -> signer.presign(URI.create("http://s3.local/a"), "GET", validity, AT))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"ä", "\u0080"})
    void headerThatIsNotAsciiIsRefused(String value) {
        assertThatThrownBy(() -> signer.sign(
                        URI.create("http://s3.local/a"), "GET", Map.of("x", value), PayloadType.UNSIGNED, AT))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
