package io.millrace.gateway.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.auth.PayloadType;
import io.millrace.auth.signature.RequestSigner;
import io.millrace.gateway.testkit.RawClient;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import software.amazon.awssdk.utils.http.SdkHttpUtils;

/**
 * Asks a server of this machine: every request is signed and otherwise worded by the test, and the answer is read as it
 * came. Targets are percent-encoded; fields are written {@code name: value}.
 *
 * @param onBothPaths whether to compare the responses of the gateway's fast path and general path
 */
public record RawResponse(int port, String host, RequestSigner signer, boolean onBothPaths, Wording wording) {
    /**
     * A header that has no effect, but of a kind that is this gateway's own: the fast path leaves it to the general
     * path.
     */
    public static final String GENERAL = "x-millrace-general";

    /** The headers that a tracing SDK adds to a request before the client signs it. */
    private static final Map<String, String> OF_A_TRACER = Map.of(
            "traceparent", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
            "tracestate", "rojo=00f067aa0ba902b7,congo=t61rcWkgMzE",
            "baggage", "userId=alice");

    /** The header lines that two load balancers add to a request on its way. */
    private static final List<String> OF_BALANCERS = List.of(
            "X-Forwarded-For: 203.0.113.7",
            "X-Forwarded-For: 10.0.0.2, 10.0.0.3",
            "X-Forwarded-Proto: https",
            "X-Forwarded-Port: 443",
            "X-Real-IP: 203.0.113.7",
            "Forwarded: for=203.0.113.7;proto=https",
            "Via: 1.1 first.example",
            "Via: 1.1 second.example",
            "X-Amzn-Trace-Id: Root=1-67891233-abcdef012345678912345678",
            "X-Request-ID: 77c1c83b-7ab0-905c-bc58-e4bc92081d0a",
            "Cookie: session=1",
            "Cookie: sticky=node-2",
            "Referer: https://example.org/",
            "Pragma: no-cache",
            "DNT: 1");

    private static final Set<String> VARYING = Set.of("date", "x-amz-request-id", "cache-status", "age");

    /** The way in which a request comes. */
    public enum Wording {
        PLAIN,
        /** With a tracer's headers, and through load balancers. */
        BALANCED,
        /** A GET or HEAD is presigned, unless it has headers that must be signed. */
        PRESIGNED
    }

    /** The server at this port of the loopback. */
    public RawResponse(int port, RequestSigner signer) {
        this(port, "127.0.0.1:" + port, signer, false, Wording.PLAIN);
    }

    /** The same server under another name. */
    RawResponse under(String otherHost) {
        return new RawResponse(port, otherHost, signer, onBothPaths, wording);
    }

    RawClient.Response get(String target, String... fields) throws IOException {
        return ask("GET", target, fields);
    }

    public RawClient.Response head(String target, String... fields) throws IOException {
        return ask("HEAD", target, fields);
    }

    RawClient.Response ask(String method, String target, String... fields) throws IOException {
        RawClient.Response first = RawClient.ask(port, request(method, target, fields));
        if (!onBothPaths || !(method.equals("GET") || method.equals("HEAD"))) {
            return first;
        }
        // What the first request brought into the cache is in memory now.
        RawClient.Response again = RawClient.ask(port, request(method, target, fields));
        String[] more = Arrays.copyOf(fields, fields.length + 1);
        more[fields.length] = GENERAL + ": 1";
        RawClient.Response general = RawClient.ask(port, request(method, target, more));
        assertThat(again.status()).isEqualTo(general.status());
        assertThat(withoutVarying(again)).isEqualTo(withoutVarying(general));
        if (again.status() < 400) {
            assertThat(again.body()).isEqualTo(general.body());
        }
        return again;
    }

    private static Map<String, String> withoutVarying(RawClient.Response response) {
        Map<String, String> headers = new LinkedHashMap<>(response.headers());
        headers.keySet().removeAll(VARYING);
        return headers;
    }

    /** The request as text, for a connection that is kept. */
    String request(String method, String target, String... fields) {
        Map<String, String> headers = new LinkedHashMap<>();
        headers.put("host", host);
        for (String field : fields) {
            int colon = field.indexOf(':');
            headers.put(field.substring(0, colon), field.substring(colon + 1).strip());
        }
        URI uri = URI.create("http://" + host + target);
        String sent = target;
        if (wording == Wording.BALANCED) {
            headers.putAll(OF_A_TRACER);
        }
        if (wording == Wording.PRESIGNED && isPresignable(method, headers)) {
            URI presigned = signer.presign(uri, method, Duration.ofMinutes(5), Instant.now());
            sent = presigned.getRawPath() + "?" + presigned.getRawQuery();
        } else {
            headers.putAll(signer.sign(uri, method, headers, PayloadType.UNSIGNED, Instant.now()));
        }
        StringBuilder text = new StringBuilder(method + " " + sent + " HTTP/1.1\r\n");
        headers.forEach((name, value) -> text.append(name + ": " + value + "\r\n"));
        if (wording == Wording.BALANCED) {
            OF_BALANCERS.forEach(field -> text.append(field + "\r\n"));
        }
        return text.append("\r\n").toString();
    }

    /** Whether the signer can: of headers it signs the host only, and that without the port of the scheme. */
    private static boolean isPresignable(String method, Map<String, String> headers) {
        return (method.equals("GET") || method.equals("HEAD"))
                && !headers.getOrDefault("host", "").endsWith(":80")
                && headers.keySet().stream()
                        .noneMatch(name -> name.toLowerCase(Locale.ROOT).startsWith("x-amz-"));
    }

    /** The target of an object, path style. */
    public static String path(String bucket, String key) {
        return "/" + bucket + "/" + SdkHttpUtils.urlEncodeIgnoreSlashes(key);
    }

    /** A query parameter. */
    static String parameter(String name, String value) {
        return name + "=" + SdkHttpUtils.urlEncode(value);
    }
}
