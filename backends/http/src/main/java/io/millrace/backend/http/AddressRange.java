package io.millrace.backend.http;

import io.netty.util.NetUtil;
import java.net.InetAddress;
import java.util.Arrays;

/** A range of IP addresses such as {@code 10.0.0.0/8} or {@code fd00::/8}, or a single address. Immutable. */
public final class AddressRange {
    private static final byte[] MAPPED = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, -1, -1};

    private final String text;
    private final byte[] first;
    private final int bits;

    private AddressRange(String text, byte[] first, int bits) {
        this.text = text;
        this.first = first;
        this.bits = bits;
    }

    /**
     * Parses a range.
     *
     * @throws IllegalArgumentException if the text is no range; the message shows the syntax
     */
    public static AddressRange parse(String text) {
        int slash = text.indexOf('/');
        String address = slash < 0 ? text : text.substring(0, slash);
        boolean isPlain = address.matches("[0-9]+\\.[0-9]+\\.[0-9]+\\.[0-9]+|[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*");
        byte[] bytes = isPlain ? NetUtil.createByteArrayFromIpAddressString(address) : null;
        if (bytes == null || (slash >= 0 && !text.substring(slash + 1).matches("0|[1-9][0-9]{0,2}"))) {
            throw new IllegalArgumentException("is not an address range: write 10.1.0.0/16, or fd00::/8");
        }
        int bits = slash < 0 ? 8 * bytes.length : Integer.parseInt(text.substring(slash + 1));
        if (bits > 8 * bytes.length) {
            throw new IllegalArgumentException("an address has no more than %d bits".formatted(8 * bytes.length));
        }
        AddressRange range = new AddressRange(text, bytes, bits);
        for (int i = bits; i < 8 * bytes.length; i++) {
            if (bit(bytes, i)) {
                throw new IllegalArgumentException(
                        "has bits set after its first %d: write its first address".formatted(bits));
            }
        }
        return range;
    }

    /** Returns true if the range contains the address. */
    boolean contains(InetAddress address) {
        byte[] bytes = address.getAddress();
        if (bytes.length != first.length) {
            return false;
        }
        for (int i = 0; i < bits; i++) {
            if (bit(bytes, i) != bit(first, i)) {
                return false;
            }
        }
        return true;
    }

    /** Returns true if these 16 bytes are an IPv4-mapped IPv6 address, {@code ::ffff:1.2.3.4}. */
    public static boolean isMapped(byte[] bytes) {
        return Arrays.equals(Arrays.copyOf(bytes, MAPPED.length), MAPPED);
    }

    private static boolean bit(byte[] bytes, int index) {
        return (bytes[index >> 3] >> (7 - (index & 7)) & 1) != 0;
    }

    /** Returns the range as written. */
    @Override
    public String toString() {
        return text;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof AddressRange that && bits == that.bits && Arrays.equals(first, that.first);
    }

    @Override
    public int hashCode() {
        return 31 * Arrays.hashCode(first) + bits;
    }
}
