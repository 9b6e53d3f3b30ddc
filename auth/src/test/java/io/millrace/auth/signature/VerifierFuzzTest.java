package io.millrace.auth.signature;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.auth.Authentication;
import io.millrace.auth.PayloadType;
import io.millrace.auth.RequestVerificationException;
import io.millrace.auth.SignedRequest.Parameter;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * Feeds damaged signatures to the verifier: it is exposed to unauthenticated clients, so any input must end with a
 * {@link RequestVerificationException}, never with another throwable, and a failed request never becomes anonymous.
 */
class VerifierFuzzTest {
    private static final int INPUTS = 50_000;
    private static final URI TARGET = URI.create("http://" + SentRequest.HOST + "/bucket/key?list-type=2");
    private static final RequestSigner SIGNER =
            new RequestSigner(TestKeys.TRAINER, TestKeys.TRAINER_SECRET, "us-east-1");
    private static final String PIECES =
            "AWS4-HMAC-SHA256 Credential=/,;:%=\t \u0000\u00ff\u20ac\uD83D\uDE00'\"0123abcXYZ_.~+&?\n";

    private final Random random = new Random(5);
    private final RequestVerifier verifier = TestKeys.verifier();

    @Test
    void damagedHeadersAreRefused() {
        Map<String, String> added = SIGNER.sign(TARGET, "GET", Map.of(), PayloadType.UNSIGNED, TestKeys.NOW);
        SentRequest sent = SentRequest.to("GET", "/bucket/key?list-type=2");
        for (Map.Entry<String, String> header : added.entrySet()) {
            sent = sent.withHeader(header.getKey(), header.getValue());
        }
        List<String> names = List.of("authorization", "x-amz-date", "x-amz-content-sha256", "host");
        for (int i = 0; i < INPUTS; i++) {
            String name = random.nextInt(2) == 0 ? "authorization" : names.get(random.nextInt(names.size()));
            String before = sent.headerNames().contains(name) ? sent.header(name) : "";
            String after = random.nextInt(5) == 0 ? noise() : damaged(before);
            assertRefusedUnlessSame(
                    sent.withHeaderChanged(name, after), squeezed(before).equals(squeezed(after)));
        }
    }

    @Test
    void damagedQueriesAreRefused() {
        URI v4 = SIGNER.presign(TARGET, "GET", Duration.ofHours(1), TestKeys.NOW);
        SentRequest presigned = SentRequest.to("GET", v4.getRawPath() + '?' + v4.getRawQuery());
        SentRequest version2 = SentRequest.to(
                "GET",
                "/bucket/key?AWSAccessKeyId=" + TestKeys.TRAINER
                        + "&Signature=AAAAAAAAAAAAAAAAAAAAAAAAAAA%3D&Expires=1900000000&versionId=1");
        for (int i = 0; i < INPUTS; i++) {
            SentRequest sent = random.nextInt(3) == 0 ? version2 : presigned;
            List<Parameter> query = new ArrayList<>(sent.query());
            int at = random.nextInt(query.size());
            Parameter before = query.get(at);
            Parameter after = random.nextInt(3) == 0
                    ? new Parameter(damaged(before.name()), before.value())
                    : new Parameter(before.name(), random.nextInt(5) == 0 ? noise() : damaged(before.value()));
            query.set(at, after);
            // The signature's own name is the one thing a signature does not cover; its case means nothing.
            boolean same = after.name().equalsIgnoreCase(before.name())
                    && after.value().equals(before.value())
                    && (after.name().equals(before.name()) || before.name().equals("X-Amz-Signature"));
            assertRefusedUnlessSame(sent.withQuery(query), same && sent.equals(presigned));
        }
    }

    private void assertRefusedUnlessSame(SentRequest sent, boolean same) {
        boolean accepted;
        try {
            accepted = verifier.verify(sent) instanceof Authentication.Signed;
            assertThat(accepted).as("anonymous: %s", sent).isTrue();
        } catch (RequestVerificationException e) {
            accepted = false;
            assertThat(e.getMessage()).doesNotContain(TestKeys.TRAINER_SECRET.reveal());
        }
        if (accepted) {
            assertThat(same).as(sent::toString).isTrue();
        }
    }

    private String damaged(String text) {
        StringBuilder damaged = new StringBuilder(text);
        int wounds = 1 + random.nextInt(3);
        for (int i = 0; i < wounds; i++) {
            int at = random.nextInt(damaged.length() + 1);
            switch (random.nextInt(4)) {
                case 0 -> damaged.insert(at, piece());
                case 1 -> damaged.delete(at, Math.min(damaged.length(), at + 1 + random.nextInt(8)));
                case 2 -> damaged.insert(at, damaged.substring(at, Math.min(damaged.length(), at + 12)));
                default -> damaged.replace(at, Math.min(damaged.length(), at + 1), String.valueOf(piece()));
            }
        }
        return damaged.toString();
    }

    private String noise() {
        StringBuilder noise = new StringBuilder();
        int length = random.nextInt(60);
        for (int i = 0; i < length; i++) {
            noise.append(random.nextInt(3) == 0 ? (char) random.nextInt(0x10000) : piece());
        }
        return noise.toString();
    }

    private char piece() {
        return PIECES.charAt(random.nextInt(PIECES.length()));
    }

    /** White space between the parts of an Authorization header means nothing. */
    private static String squeezed(String text) {
        return text.replaceAll("\\s+", "");
    }
}
