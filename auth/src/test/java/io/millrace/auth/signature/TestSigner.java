package io.millrace.auth.signature;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.auth.PayloadType;
import io.millrace.auth.RequestVerificationException;
import io.millrace.auth.RequestVerificationException.Code;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** Creates signed requests of the trainer for one object, for tests to modify. */
final class TestSigner {
    static final URI OBJECT = URI.create("http://" + SentRequest.HOST + "/bucket/key");
    static final RequestSigner SIGNER = new RequestSigner(TestKeys.TRAINER, TestKeys.TRAINER_SECRET, "us-east-1");

    private TestSigner() {}

    static SentRequest signed() {
        return signed(SIGNER, Map.of(), PayloadType.UNSIGNED);
    }

    static SentRequest signed(RequestSigner signer, Map<String, String> headers, PayloadType payload) {
        SentRequest sent = SentRequest.to("GET", OBJECT.getRawPath());
        for (Map.Entry<String, String> header : headers.entrySet()) {
            sent = sent.withHeader(header.getKey(), header.getValue());
        }
        Map<String, String> added = signer.sign(OBJECT, "GET", headers, payload, TestKeys.NOW);
        for (Map.Entry<String, String> header : added.entrySet()) {
            sent = sent.withHeader(header.getKey(), header.getValue());
        }
        return sent;
    }

    /** Good for an hour. */
    static SentRequest presigned() {
        URI uri = SIGNER.presign(OBJECT, "GET", Duration.ofHours(1), TestKeys.NOW);
        return SentRequest.to("GET", uri.getRawPath() + '?' + uri.getRawQuery());
    }

    /** Any of the codes will do. */
    static void assertRefused(RequestVerifier verifier, SentRequest sent, Code... codes) {
        assertThatThrownBy(() -> verifier.verify(sent))
                .isInstanceOfSatisfying(
                        RequestVerificationException.class,
                        e -> assertThat(List.of(codes)).contains(e.code()));
    }
}
