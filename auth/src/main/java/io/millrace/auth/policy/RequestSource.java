package io.millrace.auth.policy;

import java.net.Inet4Address;
import java.net.InetAddress;
import java.nio.ByteBuffer;
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

    /** Start of the numbers of IPv4 addresses, which no IPv6 client has: that of multicast. */
    private static final long IPV4 = 0xFFFF_FFFF_0000_0000L;

    /** Returns a number for the client, by which shares of many clients are counted, as {@link #networkOf} does. */
    public long network() {
        return networkOf(address);
    }

    /**
     * Returns a number for an IPv4 address, or for the first 64 bits of an IPv6 address, because one client usually has
     * all addresses below them; 0 for none.
     */
    public static long networkOf(@Nullable InetAddress address) {
        if (address == null) {
            return 0;
        }
        ByteBuffer bytes = ByteBuffer.wrap(address.getAddress());
        return address instanceof Inet4Address ? IPV4 | (bytes.getInt() & 0xFFFF_FFFFL) : bytes.getLong();
    }
}
