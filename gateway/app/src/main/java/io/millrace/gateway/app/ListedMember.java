package io.millrace.gateway.app;

import io.millrace.config.ValueForm;
import java.util.Locale;
import java.util.regex.Pattern;

/**
 * A member of the cluster as an operator lists it: {@code HOST:PORT}, whose name is the host's up to the first dot, or
 * {@code NAME=HOST:PORT}.
 */
@ValueForm("a host name or an address, a colon and a port, perhaps after a name and =")
record ListedMember(String name, HostAndPort address) {
    private static final Pattern ADDRESS = Pattern.compile("[0-9.]+");

    /**
     * Parses an entry.
     *
     * @throws IllegalArgumentException if it is none
     */
    public static ListedMember parse(String text) {
        int equals = text.indexOf('=');
        HostAndPort address = HostAndPort.parse(text.substring(equals + 1));
        if (address.port() == 0) {
            throw new IllegalArgumentException("'%s' has no port that others could connect to".formatted(text));
        }
        return new ListedMember(equals < 0 ? nameOf(address.host()) : text.substring(0, equals), address);
    }

    /** Returns the name of a host: an address as it is, a host name up to its first dot in small letters. */
    static String nameOf(String host) {
        if (ADDRESS.matcher(host).matches()) {
            return host;
        }
        int dot = host.indexOf('.');
        return (dot < 0 ? host : host.substring(0, dot)).toLowerCase(Locale.ROOT);
    }

    @Override
    public String toString() {
        return name.equals(nameOf(address.host())) ? address.toString() : name + '=' + address;
    }
}
