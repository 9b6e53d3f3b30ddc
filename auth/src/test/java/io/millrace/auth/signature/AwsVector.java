package io.millrace.auth.signature;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/** One line of {@code aws-sigv4-vectors.txt}, which explains the columns. */
record AwsVector(
        String name, SentRequest request, Map<String, String> notes, String headerSignature, String querySignature) {
    static final String ACCESS_KEY = "AKIDEXAMPLE";
    static final String SECRET = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY";
    static final String TIMESTAMP = "20150830T123600Z";
    static final String CREDENTIAL = ACCESS_KEY + "/20150830/us-east-1/service/aws4_request";

    /** All vectors. */
    static List<AwsVector> all() {
        try (var in = AwsVector.class.getResourceAsStream("aws-sigv4-vectors.txt")) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .filter(line -> !line.startsWith("#"))
                    .map(AwsVector::parse)
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    boolean hasQueryForm() {
        return !querySignature.equals("-");
    }

    boolean hasToken() {
        return notes.containsKey("token") || notes.containsKey("token-after");
    }

    /** Returns the text that is signed as the payload. */
    String payload() {
        return notes.getOrDefault("body", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    }

    /** The path as this vector's service signs it, which for some is not the path as sent. */
    AwsVector folded() {
        String path = notes.getOrDefault("folded", request.path());
        return new AwsVector(name, request.withPath(path), notes, headerSignature, querySignature);
    }

    /** Returns the request with its signature in the header. */
    SentRequest inHeader() {
        SentRequest sent = request.withHeader("x-amz-date", TIMESTAMP);
        if (notes.containsKey("token")) {
            sent = sent.withHeader("x-amz-security-token", notes.get("token"));
        }
        String names = String.join(";", new TreeSet<>(sent.headerNames()));
        if (notes.containsKey("token-after")) {
            sent = sent.withHeader("x-amz-security-token", "any");
        }
        return sent.withHeader(
                "authorization",
                "AWS4-HMAC-SHA256 Credential=" + CREDENTIAL + ", SignedHeaders=" + names + ", Signature="
                        + headerSignature);
    }

    /** Returns the request with its signature in the query. */
    SentRequest inQuery() {
        SentRequest sent = request.withHeaders(request.headers().stream()
                .filter(header -> !header.getKey().startsWith("x-amz-"))
                .toList());
        sent = sent.withParameter("X-Amz-Algorithm", "AWS4-HMAC-SHA256")
                .withParameter("X-Amz-Credential", CREDENTIAL)
                .withParameter("X-Amz-Date", TIMESTAMP)
                .withParameter("X-Amz-SignedHeaders", String.join(";", new TreeSet<>(sent.headerNames())))
                .withParameter("X-Amz-Expires", "3600");
        if (notes.containsKey("token")) {
            sent = sent.withParameter("X-Amz-Security-Token", notes.get("token"));
        }
        return sent.withParameter("X-Amz-Signature", querySignature);
    }

    @Override
    public String toString() {
        return name;
    }

    private static AwsVector parse(String line) {
        String[] columns = line.split(" \\| ", -1);
        String target = columns[2] + (columns[3].isEmpty() ? "" : "?" + columns[3]);
        SentRequest request = SentRequest.to(columns[1], target).withHeaderChanged("host", "example.amazonaws.com");
        for (String header : items(columns[4])) {
            int colon = header.indexOf(':');
            request = request.withHeader(
                    header.substring(0, colon), header.substring(colon + 1).replace("\\n", "\n"));
        }
        Map<String, String> notes = new HashMap<>();
        for (String note : items(columns[5])) {
            int equals = note.indexOf('=');
            notes.put(equals < 0 ? note : note.substring(0, equals), note.substring(equals + 1));
        }
        return new AwsVector(columns[0], request, notes, columns[6], columns[7]);
    }

    private static List<String> items(String column) {
        return column.isEmpty() ? List.of() : List.of(column.split(" ; "));
    }
}
