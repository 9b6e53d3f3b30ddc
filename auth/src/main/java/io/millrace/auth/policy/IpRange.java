package io.millrace.auth.policy;

import io.netty.util.NetUtil;
import java.net.InetAddress;
import java.util.Arrays;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** A range of IP addresses in CIDR notation, or a single address. */
public final class IpRange {
    private static final Pattern BITS = Pattern.compile("[0-9]{1,3}");
    private static final int IPV4 = 4;

    /** The bytes before the IPv4 address in an IPv6 address that stands for one. */
    private static final int MAPPED = 12;

    private final byte[] network;
    private final int bits;

    private IpRange(byte[] network, int bits) {
        this.network = network;
        this.bits = bits;
    }

    /**
     * Parses {@code 10.0.0.0/8}, {@code 2001:db8::/32} or an address.
     *
     * @throws IllegalArgumentException if it is neither
     */
    public static IpRange parse(String text) {
        return find(text)
                .orElseThrow(() ->
                        new IllegalArgumentException("is no range of addresses, such as 10.0.0.0/8 or 2001:db8::/32"));
    }

    /** Parses a range or an address; empty if it is neither. */
    static Optional<IpRange> find(String text) {
        int slash = text.indexOf('/');
        byte @Nullable [] address =
                NetUtil.createByteArrayFromIpAddressString(slash < 0 ? text : text.substring(0, slash));
        if (address == null || text.indexOf('%') >= 0) {
            return Optional.empty();
        }
        String written = slash < 0 ? "" + address.length * 8 : text.substring(slash + 1);
        int bits = BITS.matcher(written).matches() ? Integer.parseInt(written) : Integer.MAX_VALUE;
        if (bits > address.length * 8) {
            return Optional.empty();
        }
        byte[] unmapped = unmapped(address);
        int saved = (address.length - unmapped.length) * 8;
        return bits < saved
                ? Optional.of(new IpRange(address, bits))
                : Optional.of(new IpRange(unmapped, bits - saved));
    }

    /** Returns whether it is the range of all addresses of its kind. */
    public boolean isEverything() {
        return bits == 0;
    }

    /** Returns whether an address is within the range. An IPv6 address that stands for an IPv4 address is that. */
    public boolean contains(InetAddress address) {
        return contains(bytes(address));
    }

    /** Returns the bytes of an address, as ranges compare them. */
    static byte[] bytes(InetAddress address) {
        return unmapped(address.getAddress());
    }

    /** Returns whether an address is within the range, by its {@link #bytes}. */
    boolean contains(byte[] bytes) {
        if (bytes.length != network.length) {
            return false;
        }
        for (int i = 0; i < bits; i += 8) {
            int mask = bits - i >= 8 ? 0xFF : 0xFF << (8 - (bits - i));
            if (((bytes[i >> 3] ^ network[i >> 3]) & mask) != 0) {
                return false;
            }
        }
        return true;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof IpRange range && range.bits == bits && Arrays.mismatch(range.network, network) < 0;
    }

    @Override
    public int hashCode() {
        return 31 * Arrays.hashCode(network) + bits;
    }

    /** Returns the range as it is written. */
    @Override
    public String toString() {
        return NetUtil.bytesToIpAddress(network) + "/" + bits;
    }

    private static byte[] unmapped(byte[] address) {
        if (address.length == IPV4 || address[MAPPED - 2] != -1 || address[MAPPED - 1] != -1) {
            return address;
        }
        for (int i = 0; i < MAPPED - 2; i++) {
            if (address[i] != 0) {
                return address;
            }
        }
        return Arrays.copyOfRange(address, MAPPED, address.length);
    }
}
