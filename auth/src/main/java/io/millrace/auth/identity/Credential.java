package io.millrace.auth.identity;

import io.millrace.auth.policy.Principal;
import java.util.HexFormat;

/**
 * An access key, its secret key and the principal that signs with them.
 *
 * @param accessKey empty in the placeholder for unknown access keys
 * @param secret the secret key; never printed
 * @param principal owner of the key pair
 */
public record Credential(String accessKey, String secret, Principal principal) {
    private static final int FINGERPRINT_BYTES = 8;

    /** Returns whether this is the placeholder for unknown access keys, whose signatures are never valid. */
    public boolean isUnknown() {
        return accessKey.isEmpty();
    }

    /**
     * Returns a short fingerprint of this key pair, by which a session remembers what it was made with. Each session has
     * another, so that tokens do not tell which were made with the same secret key.
     *
     * @param session the access key of the session
     */
    public String fingerprint(String session) {
        byte[] derived = SecretDerivation.of(secret, "millrace session 1 " + accessKey + ' ' + session);
        return HexFormat.of().formatHex(derived, 0, FINGERPRINT_BYTES);
    }

    @Override
    public String toString() {
        return "Credential[" + accessKey + " of " + principal.name() + ']';
    }
}
