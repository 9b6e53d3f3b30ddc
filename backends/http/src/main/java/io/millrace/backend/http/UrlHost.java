package io.millrace.backend.http;

import io.netty.util.NetUtil;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * The host of a URL: a name, or an address in its canonical form. The last label of a name begins with a letter, so
 * that no name looks like a number, and there is no trailing dot.
 *
 * @param text in lower case; an IPv6 address in brackets
 * @param literal the address; empty for a name
 */
public record UrlHost(String text, Optional<InetAddress> literal) {
    private static final int LONGEST = 253;
    private static final Pattern NAME =
            Pattern.compile("(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\\.)*[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?");
    private static final String BYTE = "(?:0|[1-9][0-9]?|1[0-9][0-9]|2[0-4][0-9]|25[0-5])";
    private static final Pattern IPV4 = Pattern.compile(BYTE + "(?:\\." + BYTE + "){3}");
    private static final Pattern IPV6 = Pattern.compile("\\[[0-9a-f:]{2,39}]");

    /**
     * Parses a host.
     *
     * @throws IllegalArgumentException if the host is invalid; the message shows the syntax
     */
    static UrlHost parse(String written) {
        String text = written.toLowerCase(Locale.ROOT);
        if (IPV4.matcher(text).matches()) {
            return new UrlHost(text, Optional.of(address(text, text)));
        }
        if (IPV6.matcher(text).matches()) {
            return new UrlHost(text, Optional.of(address(text, text.substring(1, text.length() - 1))));
        }
        if (text.length() > LONGEST || !isAscii(written) || !NAME.matcher(text).matches()) {
            throw new IllegalArgumentException(
                    "has an invalid host: write a name in ASCII (xn--... for others) without a dot"
                            + " after it, or an address as 192.0.2.1 or [2001:db8::1]");
        }
        return new UrlHost(text, Optional.empty());
    }

    /** Tests before lower-casing, because some letters become ASCII in lower case. */
    private static boolean isAscii(String text) {
        return text.chars().allMatch(c -> c < 0x80);
    }

    private static InetAddress address(String host, String digits) {
        byte[] bytes = NetUtil.createByteArrayFromIpAddressString(digits);
        if (bytes == null || (bytes.length == 16 && AddressRange.isMapped(bytes))) {
            throw new IllegalArgumentException("has an invalid address as its host: " + digits);
        }
        try {
            return InetAddress.getByAddress(host, bytes);
        } catch (UnknownHostException e) {
            throw new IllegalArgumentException("has an invalid address as its host: " + digits, e);
        }
    }
}
