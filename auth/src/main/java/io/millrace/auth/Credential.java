package io.millrace.auth;

/**
 * A key pair and whose it is.
 *
 * @param accessKey empty in the one that stands for every key nobody has
 * @param secret never printed
 * @param principal who signs with it
 */
record Credential(String accessKey, String secret, Principal principal) {
    /** Whether nobody has this key: no signature made with it counts. */
    boolean isUnknown() {
        return accessKey.isEmpty();
    }

    @Override
    public String toString() {
        return "Credential[" + accessKey + " of " + principal.name() + ']';
    }
}
