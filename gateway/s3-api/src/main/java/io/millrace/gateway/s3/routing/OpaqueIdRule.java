package io.millrace.gateway.s3.routing;

import java.util.regex.Pattern;

/** Ids that a backend made and clients bring back. Some servers make paths of them, so none passes that could lead elsewhere. */
public final class OpaqueIdRule {
    /** Not dots alone; neither separators of paths nor control characters. */
    private static final Pattern PLAIN = Pattern.compile("(?!\\.+\\z)[^/\\\\\\p{Cntrl}]*");

    private OpaqueIdRule() {}

    /** Whether {@code id} is a name and no path; an empty one is. */
    public static boolean isPlain(String id) {
        return PLAIN.matcher(id).matches();
    }
}
