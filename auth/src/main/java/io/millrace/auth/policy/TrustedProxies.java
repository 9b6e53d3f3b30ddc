package io.millrace.auth.policy;

import io.netty.util.NetUtil;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The declared proxies: peers that may name the client whose request they pass on. What others name is not read,
 * because they may name anybody.
 */
public final class TrustedProxies {
    /** No proxies: each peer is a client. */
    public static final TrustedProxies NONE = new TrustedProxies(List.of());

    /** The header that names clients and proxies, the nearest last. */
    public static final String FORWARDED_FOR = "x-forwarded-for";

    /** The header that names the scheme of the client's connection. */
    public static final String FORWARDED_PROTO = "x-forwarded-proto";

    /** The most addresses that are read; a longer chain of proxies is none that anybody has. */
    private static final int MAX_HOPS = 32;

    /** The longest address, in brackets and with a port. */
    private static final int MAX_LENGTH = 56;

    private final List<IpRange> ranges;

    public TrustedProxies(List<IpRange> ranges) {
        this.ranges = List.copyOf(ranges);
    }

    /** Returns whether an address is that of a declared proxy. */
    public boolean contains(@Nullable InetAddress address) {
        if (address == null) {
            return false;
        }
        for (IpRange range : ranges) {
            if (range.contains(address)) {
                return true;
            }
        }
        return false;
    }

    /**
     * Returns the source of a request. If its peer is a declared proxy that is the last address of {@code
     * X-Forwarded-For} which is not one, or unknown if that is no address; and it is secure as {@code
     * X-Forwarded-Proto} says.
     *
     * @param peer the connection that the request came from
     * @param forwardedFor the values of {@code X-Forwarded-For}, in order
     * @param forwardedProto the values of {@code X-Forwarded-Proto}, in order
     */
    public RequestSource source(RequestSource peer, List<String> forwardedFor, List<String> forwardedProto) {
        if (!contains(peer.address())) {
            return peer;
        }
        return new RequestSource(
                forwardedFor.isEmpty() ? peer.address() : client(String.join(",", forwardedFor)),
                forwardedProto.isEmpty() ? peer.isSecure() : isSecure(String.join(",", forwardedProto)));
    }

    /**
     * Each proxy adds the address of its peer at the end, so all but the last ones may be the client's own invention.
     */
    private @Nullable InetAddress client(String hops) {
        int end = hops.length();
        @Nullable InetAddress hop = null;
        for (int i = 0; i < MAX_HOPS && end >= 0; i++) {
            int comma = hops.lastIndexOf(',', end - 1);
            hop = address(hops.substring(comma + 1, end).strip());
            if (hop == null || !contains(hop)) {
                return hop;
            }
            end = comma;
        }
        // A proxy is itself the client if nobody is before it.
        return end < 0 ? hop : null;
    }

    /** Returns the address of a hop, which some proxies write with a port; null if it is none. */
    private static @Nullable InetAddress address(String hop) {
        byte @Nullable [] bytes = hop.length() > MAX_LENGTH || hop.indexOf('%') >= 0
                ? null
                : NetUtil.createByteArrayFromIpAddressString(withoutPort(hop));
        try {
            return bytes == null ? null : InetAddress.getByAddress(bytes);
        } catch (UnknownHostException notFourOrSixteenBytes) {
            return null;
        }
    }

    private static String withoutPort(String hop) {
        int bracket = hop.indexOf(']');
        if (hop.startsWith("[") && bracket > 0) {
            return hop.substring(1, bracket);
        }
        int colon = hop.indexOf(':');
        return colon >= 0 && colon == hop.lastIndexOf(':') ? hop.substring(0, colon) : hop;
    }

    /** One part of the way that was not encrypted makes the whole not secure. */
    private static boolean isSecure(String schemes) {
        for (String scheme : schemes.split(",", MAX_HOPS + 1)) {
            if (!scheme.strip().toLowerCase(Locale.ROOT).equals("https")) {
                return false;
            }
        }
        return true;
    }
}
