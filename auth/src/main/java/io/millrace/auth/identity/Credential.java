package io.millrace.auth.identity;

import io.millrace.auth.policy.Principal;

/**
 * A key pair and whose it is.
 *
 * @param accessKey empty in the one that stands for every key nobody has
 * @param secret never printed
 * @param principal who signs with it
 */
public record Credential(String accessKey, String secret, Principal principal) {
    /** Whether nobody has this key: no signature made with it counts. */
    public boolean isUnknown() {
        return accessKey.isEmpty();
    }

    @Override
    public String toString() {
        return "Credential[" + accessKey + " of " + principal.name() + ']';
    }
}
