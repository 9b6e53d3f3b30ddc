package io.millrace.gateway.app.settings;

/** The URL under which this machine reaches one of its own ports. */
public final class LocalUrl {
    private LocalUrl() {}

    /** Of a port on an address; that of all addresses is reached on the loopback. */
    public static String of(String address, int port) {
        String host = address.equals("0.0.0.0") || address.equals("::") ? "127.0.0.1" : address;
        return "http://%s:%d".formatted(host.contains(":") ? "[" + host + "]" : host, port);
    }
}
