package io.millrace.backend.http;

import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.SocketAddress;
import java.util.List;
import java.util.stream.Stream;

/**
 * Decides which addresses URLs that others wrote may lead to: public ones, and ranges that the operator allows.
 * Addresses of one machine, a private network, a cloud's internals, or with an embedded IPv4 address are not public.
 */
public final class AddressPolicy {
    private static final List<AddressRange> CLOSED = Stream.of(
                    // This network, private, shared, loopback, link-local, protocols, documentation, 6to4's relays,
                    // benchmarks.
                    "0.0.0.0/8",
                    "10.0.0.0/8",
                    "100.64.0.0/10",
                    "127.0.0.0/8",
                    "169.254.0.0/16",
                    "172.16.0.0/12",
                    "192.0.0.0/24",
                    "192.0.2.0/24",
                    "192.88.99.0/24",
                    "192.168.0.0/16",
                    "198.18.0.0/15",
                    "198.51.100.0/24",
                    "203.0.113.0/24",
                    // Multicast, reserved, broadcast.
                    "224.0.0.0/3",
                    // A public address at which virtual machines in Azure reach their host.
                    "168.63.129.16",
                    // Inside 2000::/3: protocols with Teredo, documentation, 6to4.
                    "2001::/23",
                    "2001:db8::/32",
                    "2002::/16",
                    "3fff::/20")
            .map(AddressRange::parse)
            .toList();

    /** All public addresses of IPv6; NAT64, ULA, link-local, multicast and others lie outside. */
    private static final AddressRange GLOBAL_IPV6 = AddressRange.parse("2000::/3");

    private final List<AddressRange> named;
    private final String setting;

    /**
     * Creates a policy.
     *
     * @param named ranges that are allowed although they are not public
     * @param setting the setting that names them, for messages
     */
    public AddressPolicy(List<AddressRange> named, String setting) {
        this.named = List.copyOf(named);
        this.setting = setting;
    }

    /** Returns the failure of a connection to an address that is not permitted. */
    ForbiddenAddressException refuse(SocketAddress address) {
        return new ForbiddenAddressException(address, setting);
    }

    boolean permits(InetAddress address) {
        return named.stream().anyMatch(range -> range.contains(address)) || isPublic(address);
    }

    private static boolean isPublic(InetAddress address) {
        if (CLOSED.stream().anyMatch(range -> range.contains(address))) {
            return false;
        }
        return address instanceof Inet4Address || (GLOBAL_IPV6.contains(address) && !isIsatap(address.getAddress()));
    }

    /** Returns true for an ISATAP address, which embeds an IPv4 address. */
    private static boolean isIsatap(byte[] bytes) {
        return (bytes[8] & ~3) == 0 && bytes[9] == 0 && bytes[10] == 0x5E && bytes[11] == (byte) 0xFE;
    }
}
