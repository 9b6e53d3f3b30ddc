package io.millrace.auth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.auth.AuthException.Code;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** Requests for one object that the trainer has signed, for tests to break. */
final class Signing {
    static final URI OBJECT = URI.create("http://" + Sent.HOST + "/bucket/key");
    static final RequestSigner SIGNER = new RequestSigner(Keys.TRAINER, Keys.TRAINER_SECRET, "us-east-1");

    private Signing() {}

    static Sent signed() {
        return signed(SIGNER, Map.of(), PayloadForm.UNSIGNED);
    }

    static Sent signed(RequestSigner signer, Map<String, String> headers, PayloadForm payload) {
        Sent sent = Sent.to("GET", OBJECT.getRawPath());
        for (Map.Entry<String, String> header : headers.entrySet()) {
            sent = sent.withHeader(header.getKey(), header.getValue());
        }
        Map<String, String> added = signer.sign(OBJECT, "GET", headers, payload, Keys.NOW);
        for (Map.Entry<String, String> header : added.entrySet()) {
            sent = sent.withHeader(header.getKey(), header.getValue());
        }
        return sent;
    }

    /** Good for an hour. */
    static Sent presigned() {
        URI uri = SIGNER.presign(OBJECT, "GET", Duration.ofHours(1), Keys.NOW);
        return Sent.to("GET", uri.getRawPath() + '?' + uri.getRawQuery());
    }

    /** Any of the codes will do. */
    static void assertRefused(RequestVerifier verifier, Sent sent, Code... codes) {
        assertThatThrownBy(() -> verifier.verify(sent))
                .isInstanceOfSatisfying(
                        AuthException.class, e -> assertThat(List.of(codes)).contains(e.code()));
    }
}
