package io.millrace.auth.signature;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.auth.Authentication;
import io.millrace.auth.RequestVerificationException;
import io.millrace.auth.SignatureScheme;
import java.net.URI;
import java.time.Clock;
import java.time.Duration;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.http.ContentStreamProvider;
import software.amazon.awssdk.http.SdkHttpMethod;
import software.amazon.awssdk.http.SdkHttpRequest;
import software.amazon.awssdk.http.auth.aws.signer.AwsV4FamilyHttpSigner.AuthLocation;
import software.amazon.awssdk.http.auth.aws.signer.AwsV4HttpSigner;
import software.amazon.awssdk.http.auth.spi.signer.HttpSigner;
import software.amazon.awssdk.http.auth.spi.signer.SignRequest;
import software.amazon.awssdk.identity.spi.AwsCredentialsIdentity;

/**
 * Verifies unusual requests signed by the AWS SDK, which shares no code with this project. AWS's vectors have one
 * unusual character each; these requests combine several.
 */
class AwsSdkAgreementTest {
    private static final int REQUESTS = 5000;
    private static final AwsCredentialsIdentity TRAINER =
            AwsCredentialsIdentity.create(TestKeys.TRAINER, TestKeys.TRAINER_SECRET.reveal());

    private final AwsV4HttpSigner signer = AwsV4HttpSigner.create();
    private final RequestVerifier verifier = TestKeys.verifier();

    @Test
    void verifierAcceptsWhatTheSdkSignsInTheHeader() throws Exception {
        RandomRequests requests = new RandomRequests(1);
        for (int i = 0; i < REQUESTS; i++) {
            SentRequest sent = requests.next();
            boolean signBody = requests.number(2) == 0;
            assertSigned(sign(sent, AuthLocation.HEADER, signBody), SignatureScheme.V4_HEADER);
        }
    }

    @Test
    void verifierAcceptsWhatTheSdkPresigns() throws Exception {
        RandomRequests requests = new RandomRequests(2);
        for (int i = 0; i < REQUESTS; i++) {
            assertSigned(sign(requests.next(), AuthLocation.QUERY_STRING, false), SignatureScheme.V4_QUERY);
        }
    }

    private void assertSigned(SentRequest sent, SignatureScheme scheme) throws RequestVerificationException {
        assertThat(verifier.verify(sent))
                .as(sent::toString)
                .isInstanceOfSatisfying(Authentication.Signed.class, signed -> {
                    assertThat(signed.scheme()).isEqualTo(scheme);
                    assertThat(signed.principal().name()).isEqualTo("trainer");
                });
    }

    private SentRequest sign(SentRequest sent, AuthLocation where, boolean signBody) {
        // Over plain HTTP the SDK signs every body, whatever it is told.
        SdkHttpRequest.Builder request = SdkHttpRequest.builder()
                .method(SdkHttpMethod.fromValue(sent.method()))
                .uri(URI.create("https://" + SentRequest.HOST))
                .encodedPath(sent.rawPath().orElseThrow());
        sent.query().forEach(parameter -> request.appendRawQueryParameter(parameter.name(), parameter.value()));
        sent.headers().forEach(header -> request.appendHeader(header.getKey(), header.getValue()));
        SignRequest.Builder<AwsCredentialsIdentity> work = SignRequest.builder(TRAINER)
                .request(request.build())
                .putProperty(AwsV4HttpSigner.SERVICE_SIGNING_NAME, "s3")
                .putProperty(AwsV4HttpSigner.REGION_NAME, "eu-central-1")
                .putProperty(AwsV4HttpSigner.DOUBLE_URL_ENCODE, false)
                .putProperty(AwsV4HttpSigner.NORMALIZE_PATH, false)
                .putProperty(AwsV4HttpSigner.PAYLOAD_SIGNING_ENABLED, signBody)
                .putProperty(AwsV4HttpSigner.AUTH_LOCATION, where)
                .putProperty(HttpSigner.SIGNING_CLOCK, Clock.fixed(TestKeys.NOW, ZoneOffset.UTC));
        if (where == AuthLocation.QUERY_STRING) {
            work.putProperty(AwsV4HttpSigner.EXPIRATION_DURATION, Duration.ofHours(1));
        } else {
            work.payload(ContentStreamProvider.fromUtf8String("body"));
        }
        return arrived(sent, signer.sign(work.build()).request());
    }

    private static SentRequest arrived(SentRequest sent, SdkHttpRequest signed) {
        List<Map.Entry<String, String>> headers = new ArrayList<>();
        signed.forEachHeader((name, values) ->
                values.forEach(value -> headers.add(Map.entry(name.toLowerCase(Locale.ROOT), value))));
        String query = signed.encodedQueryParameters().map(q -> '?' + q).orElse("");
        return SentRequest.to(sent.method(), signed.encodedPath() + query).withHeaders(headers);
    }
}
