package io.millrace.gateway.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.auth.PayloadType;
import io.millrace.auth.signature.RequestSigner;
import io.millrace.gateway.RawClient;
import java.io.IOException;
import java.net.URI;
import java.time.Instant;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import software.amazon.awssdk.utils.http.SdkHttpUtils;

/**
 * Asks a server of this machine: every request is signed and otherwise worded by the test, and the answer is read as it
 * came. Targets are percent-encoded; fields are written {@code name: value}.
 *
 * @param onBothPaths whether to compare the responses of the gateway's fast path and general path
 */
public record RawResponse(int port, String host, RequestSigner signer, boolean onBothPaths) {
    /** A header without a meaning, which the fast path does not know. */
    private static final String GENERAL = "x-unknown-to-s3: 1";

    private static final Set<String> VARYING = Set.of("date", "x-amz-request-id", "cache-status", "age");

    /** The server at this port of the loopback. */
    public RawResponse(int port, RequestSigner signer) {
        this(port, "127.0.0.1:" + port, signer, false);
    }

    /** The same server under another name. */
    RawResponse under(String otherHost) {
        return new RawResponse(port, otherHost, signer, onBothPaths);
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
        more[fields.length] = GENERAL;
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
        headers.putAll(signer.sign(uri, method, headers, PayloadType.UNSIGNED, Instant.now()));
        StringBuilder text = new StringBuilder(method + " " + target + " HTTP/1.1\r\n");
        headers.forEach((name, value) -> text.append(name + ": " + value + "\r\n"));
        return text.append("\r\n").toString();
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
