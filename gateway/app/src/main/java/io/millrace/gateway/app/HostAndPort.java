package io.millrace.gateway.app;

import io.millrace.config.ValueForm;
import java.net.InetSocketAddress;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A host and a port, as an operator writes them.
 *
 * @param host a host name or an address, without brackets
 * @param port 0 to 65535
 */
@ValueForm("a host name or an address, a colon and a port; an IPv6 address stands in brackets")
record HostAndPort(String host, int port) {
    private static final Pattern SHAPE = Pattern.compile("(?:\\[([0-9A-Fa-f:.]+)]|([^\\s:/\\[\\]=]+)):([0-9]{1,5})");
    private static final int HIGHEST = 65_535;

    /**
     * Parses a host and a port.
     *
     * @throws IllegalArgumentException if it is none
     */
    public static HostAndPort parse(String text) {
        Matcher parts = SHAPE.matcher(text);
        if (!parts.matches() || Integer.parseInt(parts.group(3)) > HIGHEST) {
            throw new IllegalArgumentException("'%s' is no host with a port".formatted(text));
        }
        String host = parts.group(1) == null ? parts.group(2) : parts.group(1);
        return new HostAndPort(host, Integer.parseInt(parts.group(3)));
    }

    InetSocketAddress unresolved() {
        return InetSocketAddress.createUnresolved(host, port);
    }

    @Override
    public String toString() {
        return (host.contains(":") ? "[%s]:%d" : "%s:%d").formatted(host, port);
    }
}
