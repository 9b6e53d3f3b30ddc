package io.millrace.auth.signature;

import io.millrace.auth.AmzTimestamp;
import io.millrace.auth.CredentialScope;
import io.millrace.auth.PayloadType;
import io.millrace.auth.UriEncoding;
import io.millrace.config.Secret;
import java.net.URI;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SortedMap;
import java.util.StringJoiner;
import java.util.TreeMap;

/**
 * Signs requests to S3 with AWS Signature Version 4, as a client does. Used by the load generator and for the
 * {@code curl} line of the first run. Thread-safe.
 */
public final class RequestSigner {
    /** A client signs for the current day, and around midnight for the previous one. */
    private static final int KEYS_REMEMBERED = 2;

    private final String accessKey;
    private final Secret secretKey;
    private final String region;
    private final SigningKeyCache keys = new SigningKeyCache(KEYS_REMEMBERED);

    /**
     * Creates a signer for one key pair and region. Any region works if the server accepts any, as this gateway does.
     */
    public RequestSigner(String accessKey, Secret secretKey, String region) {
        this.accessKey = accessKey;
        this.secretKey = secretKey;
        this.region = region;
    }

    /**
     * Returns the headers to add to a request: {@code authorization}, {@code x-amz-date} and, unless {@code payload} is
     * {@link PayloadType.Unstated}, {@code x-amz-content-sha256}.
     *
     * @param uri as it will be sent, percent-encoded; a plus in its query is written {@code %2B}
     * @param headers other headers to sign, ASCII; {@code host} only if it differs from the URI's
     * @throws IllegalArgumentException if the URI or a header cannot be signed, or the URI already has a signature
     */
    public Map<String, String> sign(
            URI uri, String method, Map<String, String> headers, PayloadType payload, Instant at) {
        String timestamp = AmzTimestamp.format(at);
        Map<String, String> added = new LinkedHashMap<>();
        added.put("x-amz-date", timestamp);
        if (!(payload instanceof PayloadType.Unstated)) {
            added.put(PayloadHash.HEADER, payload.text());
        }
        SortedMap<String, String> signed = new TreeMap<>(Map.of("host", host(uri)));
        headers.forEach((name, value) -> signed.put(name.toLowerCase(Locale.ROOT), requireAscii(value)));
        signed.putAll(added);

        CanonicalRequest.Builder canonical = canonical(uri, method);
        signed.forEach((name, value) -> canonical.header(name, List.of(value)));
        CredentialScope scope = scope(timestamp);
        String signature = signature(canonical.build(payload.text()), timestamp, scope);
        added.put(
                "authorization",
                "%s Credential=%s/%s, SignedHeaders=%s, Signature=%s"
                        .formatted(
                                CanonicalRequest.ALGORITHM,
                                accessKey,
                                scope.text(),
                                String.join(";", signed.keySet()),
                                signature));
        return added;
    }

    /**
     * Returns {@code uri} with a signature in its query, valid for {@code method} from {@code at} for {@code validity},
     * a week at most. The signature covers the host header and neither other headers nor the body.
     *
     * @throws IllegalArgumentException if the URI cannot be signed or already has a signature, or if {@code validity}
     *     is out of range
     */
    public URI presign(URI uri, String method, Duration validity, Instant at) {
        if (validity.toSeconds() < 1 || validity.compareTo(V4QueryVerifier.LONGEST) > 0) {
            throw new IllegalArgumentException("the validity of a presigned URL is from 1 second to 7 days");
        }
        String timestamp = AmzTimestamp.format(at);
        CredentialScope scope = scope(timestamp);
        Map<SignatureQueryParameter, String> added = new EnumMap<>(SignatureQueryParameter.class);
        added.put(SignatureQueryParameter.ALGORITHM, CanonicalRequest.ALGORITHM);
        added.put(SignatureQueryParameter.CREDENTIAL, accessKey + '/' + scope.text());
        added.put(SignatureQueryParameter.DATE, timestamp);
        added.put(SignatureQueryParameter.EXPIRES, Long.toString(validity.toSeconds()));
        added.put(SignatureQueryParameter.SIGNED_HEADERS, "host");

        CanonicalRequest.Builder canonical = canonical(uri, method);
        added.forEach((name, value) -> canonical.parameter(name.text(), value));
        canonical.header("host", List.of(host(uri)));
        added.put(
                SignatureQueryParameter.SIGNATURE,
                signature(canonical.build(PayloadType.UNSIGNED.text()), timestamp, scope));
        return with(uri, added);
    }

    private static URI with(URI uri, Map<SignatureQueryParameter, String> added) {
        StringJoiner query = new StringJoiner("&");
        if (uri.getRawQuery() != null && !uri.getRawQuery().isEmpty()) {
            query.add(uri.getRawQuery());
        }
        added.forEach((name, value) -> query.add(name.text() + '=' + UriEncoding.ofQuery(value)));
        String path = uri.getRawPath().isEmpty() ? "/" : uri.getRawPath();
        return URI.create(uri.getScheme() + "://" + uri.getRawAuthority() + path + '?' + query);
    }

    private CredentialScope scope(String timestamp) {
        return new CredentialScope(AmzTimestamp.date(timestamp), region, V4ServiceProfile.S3.service());
    }

    private String signature(CanonicalRequest canonical, String timestamp, CredentialScope scope) {
        return keys.get(accessKey, secretKey.reveal(), scope).sign(canonical.stringToSign(timestamp, scope));
    }

    private static CanonicalRequest.Builder canonical(URI uri, String method) {
        String path = uri.getRawPath().isEmpty() ? "/" : decode(uri.getRawPath().replace("+", "%2B"));
        CanonicalRequest.Builder canonical = CanonicalRequest.of(method, path);
        String query = uri.getRawQuery();
        if (query == null || query.isEmpty()) {
            return canonical;
        }
        if (query.indexOf('+') >= 0) {
            throw new IllegalArgumentException("a + in a query can be read as a space: write %2B or %20");
        }
        for (String parameter : query.split("&", -1)) {
            int equals = parameter.indexOf('=');
            String name = decode(equals < 0 ? parameter : parameter.substring(0, equals));
            if (SignatureQueryParameter.find(name) != null) {
                throw new IllegalArgumentException("the URI already has a signature, or part of one: " + name);
            }
            canonical.parameter(name, equals < 0 ? "" : decode(parameter.substring(equals + 1)));
        }
        return canonical;
    }

    private static String decode(String encoded) {
        return URLDecoder.decode(encoded, StandardCharsets.UTF_8);
    }

    /** Returns the Host header that HTTP clients send for a URI: without the port if it is the scheme's default. */
    private static String host(URI uri) {
        if (uri.getHost() == null) {
            throw new IllegalArgumentException("the URI has no host: " + uri);
        }
        int ownPort = "https".equalsIgnoreCase(uri.getScheme()) ? 443 : 80;
        return uri.getPort() < 0 || uri.getPort() == ownPort ? uri.getHost() : uri.getHost() + ':' + uri.getPort();
    }

    private static String requireAscii(String value) {
        if (value.chars().anyMatch(c -> c >= 128)) {
            throw new IllegalArgumentException("a header to be signed must be ASCII");
        }
        return value;
    }
}
