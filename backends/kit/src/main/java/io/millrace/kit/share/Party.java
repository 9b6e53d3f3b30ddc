package io.millrace.kit.share;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The one that a request is counted to, where something is shared: an identity, the clients without one at an address, or the gateway
 * itself.
 *
 * @param kind what it is
 * @param name the identity, or the address; never what a client chose to call itself
 * @param isPaced whether its streams go as fast as a client takes or sends them, and not as fast as the cache does
 */
public record Party(Kind kind, String name, boolean isPaced) {
    /** The kinds of parties. */
    public enum Kind {
        GATEWAY,
        IDENTITY,
        /** The clients at an address of a port that knows no identities. */
        ADDRESS,
        /** The clients without an identity, at one of their addresses. */
        ANONYMOUS
    }

    private record Group(Kind kind, String name) {}

    /** The gateway itself: jobs, prefetches, and what else no client's request causes. */
    public static final Party GATEWAY = new Party(Kind.GATEWAY, "", false);

    /** Returns the party of an identity. */
    public static Party ofIdentity(String name) {
        return new Party(Kind.IDENTITY, name, true);
    }

    /** Returns the party of the clients at an address of a port that knows no identities. */
    public static Party ofAddress(@Nullable InetAddress address) {
        return new Party(Kind.ADDRESS, network(address), true);
    }

    /** Returns the party of the clients without an identity at an address. One client usually has a whole IPv6 network of 64 bits. */
    public static Party ofAnonymous(@Nullable InetAddress address) {
        return new Party(Kind.ANONYMOUS, network(address), true);
    }

    private static String network(@Nullable InetAddress address) {
        if (address == null) {
            return "";
        }
        return address instanceof Inet6Address
                ? Long.toHexString(ByteBuffer.wrap(address.getAddress()).getLong()) + "::/64"
                : address.getHostAddress();
    }

    /** Returns this party for a request of the cache, which takes what it asked for at its own pace. */
    public Party ofCache() {
        return isPaced ? new Party(kind, name, false) : this;
    }

    /** Returns what is counted together and takes turns with others: all clients without an identity, or this party. */
    public Object group() {
        return new Group(kind, kind == Kind.ANONYMOUS ? "" : name);
    }
}
