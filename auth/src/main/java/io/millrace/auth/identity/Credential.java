package io.millrace.auth.identity;

import io.millrace.auth.policy.Principal;

/**
 * An access key, its secret key and the principal that signs with them.
 *
 * @param accessKey empty in the placeholder for unknown access keys
 * @param secret the secret key; never printed
 * @param principal owner of the key pair
 */
public record Credential(String accessKey, String secret, Principal principal) {
    /** Returns whether this is the placeholder for unknown access keys, whose signatures are never valid. */
    public boolean isUnknown() {
        return accessKey.isEmpty();
    }

    @Override
    public String toString() {
        return "Credential[" + accessKey + " of " + principal.name() + ']';
    }
}
