package io.millrace.gateway.cluster;

import io.millrace.auth.SecretDerivation;
import io.millrace.auth.Sha256;
import java.nio.charset.StandardCharsets;
import java.security.InvalidKeyException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * The key with which the members of a cluster prove to each other who they are, derived from its secret and its name.
 * The proof of a request covers the member that it is meant for; that of a response covers the request, so that it
 * proves nothing for another one. Thread-safe.
 */
final class PeerKey {
    private static final String ALGORITHM = "HmacSHA256";
    private static final String PURPOSE = "millrace cluster messages of ";

    /** Cloned for each proof, because looking up the provider each time is slow. */
    private final Mac keyed;

    PeerKey(String secret, String cluster) {
        this.keyed = keyed(SecretDerivation.of(secret, PURPOSE + cluster));
    }

    private static Mac keyed(byte[] key) {
        try {
            Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(new SecretKeySpec(key, ALGORITHM));
            return mac;
        } catch (NoSuchAlgorithmException | InvalidKeyException e) {
            throw new IllegalStateException("every JDK has HMAC with SHA-256", e);
        }
    }

    /** Returns the proof of a request, in hex. */
    String proof(String path, PeerCredential credential) {
        return prove(
                "request",
                path,
                credential.cluster(),
                credential.to(),
                String.valueOf(credential.seconds()),
                credential.nonce(),
                credential.bodyHash());
    }

    /** Returns the proof of the response to a request with this proof, in hex. */
    String proofOfResponse(String ofRequest, int status, byte[] body) {
        return prove("response", ofRequest, String.valueOf(status), Sha256.hex(body));
    }

    /** Returns a fingerprint of a text, in hex, that only members can compare. */
    String fingerprint(String text) {
        return prove("store", text);
    }

    /** Returns whether two texts are the same, in a time that does not tell where they differ. */
    static boolean isSame(String one, String other) {
        return MessageDigest.isEqual(one.getBytes(StandardCharsets.UTF_8), other.getBytes(StandardCharsets.UTF_8));
    }

    /** No part but the last has a line feed. */
    private String prove(String... parts) {
        try {
            Mac mac = (Mac) keyed.clone();
            return HexFormat.of().formatHex(mac.doFinal(String.join("\n", parts).getBytes(StandardCharsets.UTF_8)));
        } catch (CloneNotSupportedException e) {
            throw new IllegalStateException("the JDK's HMAC can be cloned", e);
        }
    }
}
