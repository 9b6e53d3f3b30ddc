package io.millrace.gateway.s3.protocol;

import java.util.regex.Pattern;

/**
 * Validates version ids, upload ids and markers, which backends issue and clients send back. Some servers use them in
 * file paths, so ids that could traverse paths are rejected.
 */
public final class OpaqueIdValidator {
    /** Text without path separators and control characters, and not dots alone. */
    private static final Pattern PLAIN = Pattern.compile("(?!\\.+\\z)[^/\\\\\\p{Cntrl}]*");

    private OpaqueIdValidator() {}

    /** Returns whether {@code id} cannot traverse paths; the empty id is accepted. */
    public static boolean isPlain(String id) {
        return PLAIN.matcher(id).matches();
    }
}
