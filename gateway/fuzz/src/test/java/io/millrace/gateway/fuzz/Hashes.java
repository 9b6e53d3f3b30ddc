package io.millrace.gateway.fuzz;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** Digests and HMACs of texts, one char a byte, by the JDK alone. */
final class Hashes {
    /** Keys that were derived: inputs mostly sign for one day and region. */
    private static final Map<String, byte[]> SIGNING_KEYS = new LinkedHashMap<>();

    private static final int MOST_KEYS = 100;

    private Hashes() {}

    static String hex(String algorithm, String text) {
        return HexFormat.of().formatHex(digest(algorithm, text));
    }

    static String base64(String algorithm, String text) {
        return Base64.getEncoder().encodeToString(digest(algorithm, text));
    }

    /** Version 4's signature of a text, under the key of a day, a region and the service s3. */
    static String version4(String secret, String date, String region, String text) {
        String name = secret + '/' + date + '/' + region;
        byte[] key = SIGNING_KEYS.get(name);
        if (key == null) {
            byte[] day = hmac("HmacSHA256", bytes("AWS4" + secret), date);
            key = hmac("HmacSHA256", hmac("HmacSHA256", hmac("HmacSHA256", day, region), "s3"), "aws4_request");
            if (SIGNING_KEYS.size() == MOST_KEYS) {
                SIGNING_KEYS.clear();
            }
            SIGNING_KEYS.put(name, key);
        }
        return HexFormat.of().formatHex(hmac("HmacSHA256", key, text));
    }

    /** Version 2's signature of a text. */
    static String version2(String secret, String text) {
        return Base64.getEncoder().encodeToString(hmac("HmacSHA1", bytes(secret), text));
    }

    private static byte[] digest(String algorithm, String text) {
        try {
            return MessageDigest.getInstance(algorithm).digest(bytes(text));
        } catch (GeneralSecurityException e) {
            throw new AssertionError(e);
        }
    }

    private static byte[] hmac(String algorithm, byte[] key, String text) {
        try {
            Mac mac = Mac.getInstance(algorithm);
            mac.init(new SecretKeySpec(key, algorithm));
            return mac.doFinal(bytes(text));
        } catch (GeneralSecurityException e) {
            throw new AssertionError(e);
        }
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.ISO_8859_1);
    }
}
