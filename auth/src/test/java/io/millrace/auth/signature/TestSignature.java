package io.millrace.auth.signature;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Collectors;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** Signs requests that {@code RequestSigner} would refuse, step by step as in AWS's documentation; slow and obvious. */
final class TestSignature {
    private static final String SCOPE = "20261120/us-east-1/s3/aws4_request";

    private TestSignature() {}

    /** With an Authorization header that signs all headers there are, for this time. */
    static SentRequest addTo(SentRequest sent, String timestamp) {
        String payload = sent.headerNames().contains("x-amz-content-sha256")
                ? sent.header("x-amz-content-sha256")
                : HexFormat.of().formatHex(sha256(""));
        String names = names(sent);
        return sent.withHeader(
                "authorization",
                "AWS4-HMAC-SHA256 Credential=" + TestKeys.TRAINER + '/' + SCOPE + ", SignedHeaders=" + names
                        + ", Signature=" + signature(sent, names, timestamp, payload));
    }

    /** With its presigned signature made anew over {@code payload}. */
    static SentRequest presigned(SentRequest sent, String payload) {
        SentRequest unsigned = sent.withoutParameter("X-Amz-Signature");
        String signature =
                signature(unsigned, sent.parameter("X-Amz-SignedHeaders"), sent.parameter("X-Amz-Date"), payload);
        return unsigned.withParameter("X-Amz-Signature", signature);
    }

    private static String names(SentRequest sent) {
        return sent.headerNames().stream().sorted().collect(Collectors.joining(";"));
    }

    private static String signature(SentRequest sent, String names, String timestamp, String payload) {
        String query = sent.query().stream()
                .map(p -> RandomRequests.encoded(p.name(), false) + '=' + RandomRequests.encoded(p.value(), false))
                .sorted()
                .collect(Collectors.joining("&"));
        String headers = List.of(names.split(";", -1)).stream()
                .map(name -> name + ':' + sent.header(name).strip() + '\n')
                .collect(Collectors.joining());
        String canonical = String.join(
                "\n", sent.method(), RandomRequests.encoded(sent.path(), true), query, headers, names, payload);
        String toSign = String.join(
                "\n", "AWS4-HMAC-SHA256", timestamp, SCOPE, HexFormat.of().formatHex(sha256(canonical)));
        byte[] key = ("AWS4" + TestKeys.TRAINER_SECRET.reveal()).getBytes(StandardCharsets.UTF_8);
        for (String step : SCOPE.split("/", -1)) {
            key = hmac(key, step);
        }
        return HexFormat.of().formatHex(hmac(key, toSign));
    }

    private static byte[] sha256(String text) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
        } catch (GeneralSecurityException e) {
            throw new AssertionError(e);
        }
    }

    private static byte[] hmac(byte[] key, String text) {
        try {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(key, "HmacSHA256"));
            return mac.doFinal(text.getBytes(StandardCharsets.UTF_8));
        } catch (GeneralSecurityException e) {
            throw new AssertionError(e);
        }
    }
}
