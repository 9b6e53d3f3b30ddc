package io.millrace.gateway.write;

import io.millrace.gateway.testkit.RawClient;
import io.millrace.gateway.testkit.TestGateway;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * A request with a body, signed and worded by the test and sent as it is. Text is one char a byte. Each method but
 * those that send changes this one.
 */
final class SignedWriteRequest {
    static final String UNSIGNED = "UNSIGNED-PAYLOAD";

    private final String method;
    private final String target;
    private final Map<String, String> fields = new LinkedHashMap<>();
    private PayloadSigning signing = PayloadSigning.now(TestGateway.ACCESS_KEY, TestGateway.SECRET_KEY);
    private boolean signed = true;
    private String hash = UNSIGNED;
    private String body = "";
    private String signature = "";

    private SignedWriteRequest(String method, String target) {
        this.method = method;
        this.target = target;
        fields.put("host", "gateway.test");
    }

    /**
     * @param target percent-encoded
     */
    static SignedWriteRequest of(String method, String target) {
        return new SignedWriteRequest(method, target);
    }

    static SignedWriteRequest get(String target) {
        return of("GET", target);
    }

    static SignedWriteRequest put(String target, byte[] body) {
        return of("PUT", target).body(body);
    }

    /** Adds fields, each {@code name: value}. */
    SignedWriteRequest with(String... more) {
        for (String field : more) {
            int colon = field.indexOf(':');
            fields.put(field.substring(0, colon), field.substring(colon + 1).strip());
        }
        return this;
    }

    SignedWriteRequest by(String accessKey, String secretKey) {
        signing = PayloadSigning.now(accessKey, secretKey);
        return this;
    }

    /** Without a signature. */
    SignedWriteRequest anonymous() {
        signed = false;
        return this;
    }

    /** What is said of the body. */
    SignedWriteRequest hash(String contentSha256) {
        hash = contentSha256;
        return this;
    }

    SignedWriteRequest body(byte[] bytes) {
        body = latin1(bytes);
        return this;
    }

    SignedWriteRequest body(String text) {
        return body(text.getBytes(StandardCharsets.UTF_8));
    }

    /**
     * The body in chunks, each signed, perhaps with a signed trailer; the last to be said, as it signs all that was
     * said.
     */
    SignedWriteRequest signedChunks(byte[] bytes, int size, String... trailer) {
        announceChunks(bytes, trailer);
        hash = "STREAMING-AWS4-HMAC-SHA256-PAYLOAD" + (trailer.length == 0 ? "" : "-TRAILER");
        int framed =
                Chunks.signed(signing, "0".repeat(64), bytes, size, trailer).length();
        with("Content-Length: " + framed);
        head();
        body = Chunks.signed(signing, signature, bytes, size, trailer);
        return this;
    }

    /** The body in chunks that are not signed, with a trailer. */
    SignedWriteRequest unsignedChunks(byte[] bytes, int size, String... trailer) {
        announceChunks(bytes, trailer);
        hash = "STREAMING-UNSIGNED-PAYLOAD-TRAILER";
        body = Chunks.unsigned(bytes, size, trailer);
        return this;
    }

    private void announceChunks(byte[] bytes, String... trailer) {
        with("x-amz-decoded-content-length: " + bytes.length);
        fields.merge("Content-Encoding", "aws-chunked", (given, chunked) -> chunked + "," + given);
        for (String field : trailer) {
            with("x-amz-trailer: " + field.substring(0, field.indexOf(':')));
        }
    }

    /** All of it. */
    String text() {
        return head() + body;
    }

    String bodyText() {
        return body;
    }

    /** Another body under the same signature, of the same announced length. */
    String textWithBody(String other) {
        return head() + other;
    }

    RawClient.Response send(int port) throws IOException {
        return RawClient.ask(port, text());
    }

    /** The head; it announces the body unless a field does already. */
    String head() {
        boolean announced = fields.keySet().stream()
                .anyMatch(
                        name -> name.equalsIgnoreCase("content-length") || name.equalsIgnoreCase("transfer-encoding"));
        if (!announced && (!body.isEmpty() || method.equals("PUT") || method.equals("POST"))) {
            fields.put("Content-Length", Integer.toString(body.length()));
        }
        Map<String, String> sent = new LinkedHashMap<>(fields);
        if (signed) {
            sent.put("x-amz-date", signing.timestamp());
            sent.put("x-amz-content-sha256", hash);
            sent.put("Authorization", authorization(sent));
        }
        return method + " " + target + " HTTP/1.1\r\n"
                + sent.entrySet().stream()
                        .map(field -> field.getKey() + ": " + field.getValue() + "\r\n")
                        .collect(Collectors.joining())
                + "\r\n";
    }

    private String authorization(Map<String, String> sent) {
        Map<String, String> canonical = new TreeMap<>();
        sent.forEach((name, value) -> canonical.put(name.toLowerCase(Locale.ROOT), value));
        int mark = target.indexOf('?');
        String path = mark < 0 ? target : target.substring(0, mark);
        String query = mark < 0 ? "" : target.substring(mark + 1);
        String sorted = Arrays.stream(query.split("&", -1))
                .filter(parameter -> !parameter.isEmpty())
                .map(parameter -> parameter.indexOf('=') < 0 ? parameter + "=" : parameter)
                .sorted(Comparator.comparing(parameter -> parameter.replace('=', '\u0000')))
                .collect(Collectors.joining("&"));
        String names = String.join(";", canonical.keySet());
        signature = signing.ofRequest(method + "\n" + path + "\n" + sorted + "\n"
                + canonical.entrySet().stream()
                        .map(field -> field.getKey() + ":" + field.getValue().replaceAll(" +", " ") + "\n")
                        .collect(Collectors.joining())
                + "\n" + names + "\n" + hash);
        return "%s Credential=%s, SignedHeaders=%s, Signature=%s"
                .formatted(PayloadSigning.ALGORITHM, signing.credential(), names, signature);
    }

    /** One char a byte. */
    static String latin1(byte[] bytes) {
        return new String(bytes, StandardCharsets.ISO_8859_1);
    }
}
