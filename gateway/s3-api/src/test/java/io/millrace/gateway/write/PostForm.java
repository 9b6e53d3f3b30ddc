package io.millrace.gateway.write;

import io.millrace.gateway.testkit.TestGateway;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A browser's form: its fields, the policy that signs them, and its file. Each method changes this one. */
final class PostForm {
    private static final String BOUNDARY = "----WebKitFormBoundary7MA4YWxkTrZu0gW";

    private final String bucket;
    private final Map<String, String> fields = new LinkedHashMap<>();
    private final List<String> conditions = new ArrayList<>();
    private PayloadSigning signing = PayloadSigning.now(TestGateway.ACCESS_KEY, TestGateway.SECRET_KEY);
    private Instant expiration = Instant.now().plus(Duration.ofMinutes(5));
    private String fileName = "photo.png";
    private byte[] file = new byte[0];
    private boolean signed = true;
    private boolean withFile = true;
    private String behind = "";

    private PostForm(String bucket) {
        this.bucket = bucket;
    }

    /** One that may store under {@code key}, as the policy allows exactly. */
    static PostForm of(String bucket, String key, byte[] file) {
        PostForm form = new PostForm(bucket);
        form.file = file;
        return form.field("key", key)
                .condition("{\"bucket\": \"" + bucket + "\"}")
                .condition("[\"eq\", \"$key\", \"" + key + "\"]");
    }

    /** One whose policy does not name the key. */
    static PostForm free(String bucket, String key, byte[] file) {
        PostForm form = new PostForm(bucket);
        form.file = file;
        return form.field("key", key);
    }

    PostForm field(String name, String value) {
        fields.put(name, value);
        return this;
    }

    /** A field that the policy allows to have this value. */
    PostForm allowed(String name, String value) {
        return field(name, value).condition("{\"" + name + "\": \"" + value + "\"}");
    }

    PostForm condition(String json) {
        conditions.add(json);
        return this;
    }

    PostForm expired() {
        expiration = Instant.now().minus(Duration.ofSeconds(5));
        return this;
    }

    PostForm by(String accessKey, String secretKey) {
        signing = PayloadSigning.now(accessKey, secretKey);
        return this;
    }

    PostForm unsigned() {
        signed = false;
        return this;
    }

    PostForm named(String name) {
        fileName = name;
        return this;
    }

    PostForm withoutFile() {
        withFile = false;
        return this;
    }

    /** A field behind the file. */
    PostForm behind(String name, String value) {
        behind += part(name, value);
        return this;
    }

    /** The request that carries it. */
    SignedWriteRequest ask() {
        return SignedWriteRequest.of("POST", "/" + bucket)
                .anonymous()
                .with("Content-Type: multipart/form-data; boundary=" + BOUNDARY)
                .body(body().getBytes(StandardCharsets.ISO_8859_1));
    }

    private String body() {
        Map<String, String> all = new LinkedHashMap<>(fields);
        if (signed) {
            sign(all);
        }
        StringBuilder body = new StringBuilder();
        all.forEach((name, value) -> body.append(part(name, value)));
        if (withFile) {
            body.append("--" + BOUNDARY + "\r\nContent-Disposition: form-data; name=\"file\"; filename=\"")
                    .append(SignedWriteRequest.latin1(fileName.getBytes(StandardCharsets.UTF_8)))
                    .append("\"\r\nContent-Type: application/octet-stream\r\n\r\n")
                    .append(SignedWriteRequest.latin1(file))
                    .append("\r\n");
        }
        return body + behind + "--" + BOUNDARY + "--\r\n";
    }

    private void sign(Map<String, String> all) {
        all.put("x-amz-algorithm", PayloadSigning.ALGORITHM);
        all.put("x-amz-credential", signing.credential());
        all.put("x-amz-date", signing.timestamp());
        List<String> everything = new ArrayList<>(conditions);
        for (String name : List.of("x-amz-algorithm", "x-amz-credential", "x-amz-date")) {
            everything.add("{\"" + name + "\": \"" + all.get(name) + "\"}");
        }
        String policy =
                "{\"expiration\": \"" + expiration + "\", \"conditions\": [" + String.join(", ", everything) + "]}";
        String encoded = Base64.getEncoder().encodeToString(policy.getBytes(StandardCharsets.UTF_8));
        all.put("policy", encoded);
        all.putIfAbsent("x-amz-signature", signing.of(encoded));
    }

    private static String part(String name, String value) {
        return "--" + BOUNDARY + "\r\nContent-Disposition: form-data; name=\"" + name + "\"\r\n\r\n"
                + SignedWriteRequest.latin1(value.getBytes(StandardCharsets.UTF_8)) + "\r\n";
    }
}
