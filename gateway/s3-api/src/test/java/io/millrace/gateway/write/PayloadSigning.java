package io.millrace.gateway.write;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.HexFormat;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Version 4 signatures, made without a line of the code under test.
 *
 * @param timestamp such as {@code 20250101T120000Z}
 */
record PayloadSigning(String accessKey, String secretKey, String timestamp) {
    static final String ALGORITHM = "AWS4-HMAC-SHA256";
    static final String REGION = "us-east-1";

    private static final DateTimeFormatter TIMESTAMP =
            DateTimeFormatter.ofPattern("yyyyMMdd'T'HHmmss'Z'").withZone(ZoneOffset.UTC);

    static PayloadSigning now(String accessKey, String secretKey) {
        return new PayloadSigning(accessKey, secretKey, TIMESTAMP.format(Instant.now()));
    }

    String scope() {
        return timestamp.substring(0, 8) + "/" + REGION + "/s3/aws4_request";
    }

    String credential() {
        return accessKey + "/" + scope();
    }

    /** The signature of a request. */
    String ofRequest(String canonical) {
        return of(ALGORITHM + "\n" + timestamp + "\n" + scope() + "\n" + sha256(bytes(canonical)));
    }

    /** The signature of a chunk that follows what is signed by {@code previous}. */
    String ofChunk(String previous, byte[] chunk) {
        return of("AWS4-HMAC-SHA256-PAYLOAD\n" + timestamp + "\n" + scope() + "\n" + previous + "\n"
                + sha256(new byte[0]) + "\n" + sha256(chunk));
    }

    /** The signature of the trailing fields, each with its line feed. */
    String ofTrailer(String previous, String fields) {
        return of("AWS4-HMAC-SHA256-TRAILER\n" + timestamp + "\n" + scope() + "\n" + previous + "\n"
                + sha256(bytes(fields)));
    }

    /** The signature of any text. */
    String of(String text) {
        byte[] day = hmac(bytes("AWS4" + secretKey), timestamp.substring(0, 8));
        byte[] key = hmac(hmac(hmac(day, REGION), "s3"), "aws4_request");
        return HexFormat.of().formatHex(hmac(key, text));
    }

    static String sha256(byte[] bytes) {
        return HexFormat.of().formatHex(digest("SHA-256", bytes));
    }

    static byte[] digest(String algorithm, byte[] bytes) {
        try {
            return MessageDigest.getInstance(algorithm).digest(bytes);
        } catch (GeneralSecurityException e) {
            throw new AssertionError(e);
        }
    }

    /** One char a byte, as all text here is. */
    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.ISO_8859_1);
    }

    private static byte[] hmac(byte[] key, String text) {
        try {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(key, "HmacSHA256"));
            return mac.doFinal(bytes(text));
        } catch (GeneralSecurityException e) {
            throw new AssertionError(e);
        }
    }
}
