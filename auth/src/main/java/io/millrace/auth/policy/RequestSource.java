package io.millrace.auth.policy;

import java.net.InetAddress;
import org.jspecify.annotations.Nullable;

/**
 * The connection that a request came from.
 *
 * @param address the peer's address; null if it is unknown
 * @param isSecure whether the connection is encrypted
 */
public record RequestSource(@Nullable InetAddress address, boolean isSecure) {
    /** The source of work without a request, such as a job. It has no address, and never leaves the process. */
    public static final RequestSource INTERNAL = new RequestSource(null, true);
}
