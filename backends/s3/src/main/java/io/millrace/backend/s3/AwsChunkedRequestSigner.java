package io.millrace.backend.s3;

import io.millrace.backend.spi.checksum.HashDigest;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.HexFormat;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import software.amazon.awssdk.http.SdkHttpRequest;

/**
 * Signs requests with an aws-chunked body and a trailer. The SDK's signer would add {@code Content-Encoding:
 * aws-chunked}, which some servers store with the object (versitygw up to 1.8). S3 needs only {@code
 * x-amz-content-sha256} to detect the framing. So a request that the SDK signed as a plain body is signed again with
 * another value of that header.
 *
 * @see <a href="https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-streaming-trailers.html">Trailing headers</a>
 */
final class AwsChunkedRequestSigner {
    /** The header with the hash or the kind of the body. */
    static final String CONTENT_HASH = "x-amz-content-sha256";

    /** The value for unsigned chunks and a trailer. */
    static final String UNSIGNED_CHUNKS = "STREAMING-UNSIGNED-PAYLOAD-TRAILER";

    private static final String ALGORITHM = "AWS4-HMAC-SHA256";
    private static final Pattern AUTHORIZATION = Pattern.compile(
            ALGORITHM + " Credential=[^/]+/(?<scope>[^,]+), SignedHeaders=(?<names>[^,]+), Signature=(?<signature>.+)");
    private static final Pattern BLANKS = Pattern.compile("\\s+");

    private AwsChunkedRequestSigner() {}

    /**
     * Returns the request with another content hash and a valid signature.
     *
     * @param signed a request with the SDK's Authorization header
     */
    static SdkHttpRequest resign(SdkHttpRequest signed, String contentHash, String secretKey) {
        String authorization = header(signed, "authorization");
        Matcher parts = AUTHORIZATION.matcher(authorization);
        if (!parts.matches()) {
            throw new IllegalStateException("the signer wrote another form of signature");
        }
        SdkHttpRequest request =
                signed.toBuilder().putHeader(CONTENT_HASH, contentHash).build();
        String text = String.join(
                "\n",
                ALGORITHM,
                header(signed, "x-amz-date"),
                parts.group("scope"),
                hex(HashDigest.sha256(
                        canonical(request, parts.group("names"), contentHash).getBytes(StandardCharsets.UTF_8))));
        String signature = hex(hmac(key(secretKey, parts.group("scope")), text));
        return request.toBuilder()
                .putHeader("Authorization", authorization.substring(0, parts.start("signature")) + signature)
                .build();
    }

    private static String canonical(SdkHttpRequest request, String names, String contentHash) {
        StringBuilder text = new StringBuilder()
                .append(request.method().name())
                .append('\n')
                .append(request.encodedPath())
                .append('\n')
                .append(query(request))
                .append('\n');
        for (String name : names.split(";", -1)) {
            text.append(name).append(':').append(header(request, name)).append('\n');
        }
        return text.append('\n').append(names).append('\n').append(contentHash).toString();
    }

    /** Returns the canonical query string, sorted by encoded name. */
    private static String query(SdkHttpRequest request) {
        SortedMap<String, String> parameters = new TreeMap<>();
        request.forEachRawQueryParameter((name, values) -> parameters.put(
                encoded(name),
                values.stream()
                        .map(value -> encoded(name) + "=" + (value == null ? "" : encoded(value)))
                        .sorted()
                        .collect(Collectors.joining("&"))));
        return String.join("&", parameters.values());
    }

    private static String header(SdkHttpRequest request, String name) {
        return request.matchingHeaders(name).stream()
                .map(value -> BLANKS.matcher(value).replaceAll(" ").trim())
                .collect(Collectors.joining(","));
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8)
                .replace("+", "%20")
                .replace("*", "%2A")
                .replace("%7E", "~");
    }

    /**
     * @param scope day, region, service and {@code aws4_request}, each one step of the key derivation
     */
    private static byte[] key(String secretKey, String scope) {
        byte[] key = ("AWS4" + secretKey.trim()).getBytes(StandardCharsets.UTF_8);
        for (String step : scope.split("/", -1)) {
            key = hmac(key, step);
        }
        return key;
    }

    private static byte[] hmac(byte[] key, String text) {
        try {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(key, "HmacSHA256"));
            return mac.doFinal(text.getBytes(StandardCharsets.UTF_8));
        } catch (GeneralSecurityException everyJdkHasIt) {
            throw new IllegalStateException(everyJdkHasIt);
        }
    }

    private static String hex(byte[] bytes) {
        return HexFormat.of().formatHex(bytes);
    }
}
