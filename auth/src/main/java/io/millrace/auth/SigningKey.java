package io.millrace.auth;

import java.nio.charset.StandardCharsets;
import java.security.InvalidKeyException;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Signing key derived from a secret key for one {@link CredentialScope}. It signs but never exposes its bytes.
 * Thread-safe.
 *
 * @see <a href="https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html">Calculating a
 * signature</a>
 */
public final class SigningKey {
    private static final String ALGORITHM = "HmacSHA256";

    /** Initialized once and then only cloned, so that threads share it and no request initializes a key. */
    private final Mac keyed;

    private SigningKey(Mac keyed) {
        this.keyed = keyed;
    }

    /**
     * Derives the key of {@code scope} by a chain of four HMACs, the first keyed with {@code "AWS4"} and the secret.
     */
    public static SigningKey derive(String secret, CredentialScope scope) {
        byte[] day = hmac(("AWS4" + secret).getBytes(StandardCharsets.UTF_8), scope.date());
        byte[] region = hmac(day, scope.region());
        byte[] service = hmac(region, scope.service());
        return new SigningKey(keyed(hmac(service, CredentialScope.TERMINATOR)));
    }

    /** Returns the signature of {@code text} in UTF-8, 64 lower-case hex digits. */
    public String sign(String text) {
        try {
            Mac mac = (Mac) keyed.clone();
            return HexFormat.of().formatHex(mac.doFinal(text.getBytes(StandardCharsets.UTF_8)));
        } catch (CloneNotSupportedException e) {
            throw new IllegalStateException("the JDK's HMAC can be cloned", e);
        }
    }

    @Override
    public String toString() {
        return "SigningKey[***]";
    }

    private static byte[] hmac(byte[] key, String text) {
        return keyed(key).doFinal(text.getBytes(StandardCharsets.UTF_8));
    }

    private static Mac keyed(byte[] key) {
        try {
            Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(new SecretKeySpec(key, ALGORITHM));
            return mac;
        } catch (NoSuchAlgorithmException | InvalidKeyException e) {
            throw new IllegalStateException("every JDK has HMAC with SHA-256 and takes any key for it", e);
        }
    }
}
