package io.millrace.auth.signature;

import io.millrace.auth.SignedRequest;
import io.millrace.auth.SignedRequest.Parameter;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * Received request for tests; each {@code with} method returns a modified copy. The target is decoded as the gateway
 * does it, header values are given as text and delivered as the bytes of their UTF-8.
 */
record SentRequest(
        String method,
        String path,
        Optional<String> rawPath,
        Optional<String> virtualHostBucket,
        List<Parameter> query,
        List<Map.Entry<String, String>> headers)
        implements SignedRequest {
    static final String HOST = "s3.local:9080";

    /** A request to {@link #HOST} for an encoded path and query. */
    static SentRequest to(String method, String target) {
        int mark = target.indexOf('?');
        String path = mark < 0 ? target : target.substring(0, mark);
        List<Parameter> query = mark < 0 ? List.of() : parameters(target.substring(mark + 1));
        return new SentRequest(
                method, decode(path), Optional.of(path), Optional.empty(), query, List.of(Map.entry("host", HOST)));
    }

    SentRequest withMethod(String other) {
        return new SentRequest(other, path, rawPath, virtualHostBucket, query, headers);
    }

    /** With another path, of which only the decoded form is known. */
    SentRequest withPath(String other) {
        return new SentRequest(method, other, Optional.empty(), virtualHostBucket, query, headers);
    }

    SentRequest withBucketInHost(String bucket) {
        return new SentRequest(method, path, rawPath, Optional.of(bucket), query, headers);
    }

    SentRequest withQuery(List<Parameter> other) {
        return new SentRequest(method, path, rawPath, virtualHostBucket, List.copyOf(other), headers);
    }

    /** With one more parameter. */
    SentRequest withParameter(String name, String value) {
        List<Parameter> more = new ArrayList<>(query);
        more.add(new Parameter(name, value));
        return withQuery(more);
    }

    /** With the value of a parameter replaced. */
    SentRequest withParameterChanged(String name, String value) {
        return withQuery(query.stream()
                .map(p -> p.name().equals(name) ? new Parameter(name, value) : p)
                .toList());
    }

    SentRequest withoutParameter(String name) {
        return withQuery(query.stream().filter(p -> !p.name().equals(name)).toList());
    }

    String parameter(String name) {
        return query.stream()
                .filter(p -> p.name().equals(name))
                .findFirst()
                .orElseThrow()
                .value();
    }

    SentRequest withHeaders(List<Map.Entry<String, String>> other) {
        return new SentRequest(method, path, rawPath, virtualHostBucket, query, List.copyOf(other));
    }

    /** With one more header line. */
    SentRequest withHeader(String name, String value) {
        List<Map.Entry<String, String>> more = new ArrayList<>(headers);
        more.add(Map.entry(name.toLowerCase(Locale.ROOT), value));
        return withHeaders(more);
    }

    /** With one line instead of all of this name. */
    SentRequest withHeaderChanged(String name, String value) {
        return withoutHeader(name).withHeader(name, value);
    }

    SentRequest withoutHeader(String name) {
        return withHeaders(
                headers.stream().filter(h -> !h.getKey().equals(name)).toList());
    }

    String header(String name) {
        return headers.stream()
                .filter(h -> h.getKey().equals(name))
                .findFirst()
                .orElseThrow()
                .getValue();
    }

    @Override
    public List<String> headerValues(String lowerCaseName) {
        return headers.stream()
                .filter(h -> h.getKey().equals(lowerCaseName))
                .map(h -> new String(h.getValue().getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1))
                .toList();
    }

    @Override
    public List<String> headerNames() {
        return headers.stream().map(Map.Entry::getKey).distinct().toList();
    }

    private static List<Parameter> parameters(String query) {
        List<Parameter> parameters = new ArrayList<>();
        for (String part : query.split("&", -1)) {
            int equals = part.indexOf('=');
            parameters.add(
                    equals < 0
                            ? new Parameter(decode(part), "")
                            : new Parameter(decode(part.substring(0, equals)), decode(part.substring(equals + 1))));
        }
        return parameters;
    }

    private static String decode(String encoded) {
        return URLDecoder.decode(encoded.replace("+", "%2B"), StandardCharsets.UTF_8);
    }
}
