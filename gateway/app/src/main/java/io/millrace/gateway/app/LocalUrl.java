package io.millrace.gateway.app;

/** Builds the URL under which this machine reaches one of its own ports. */
public final class LocalUrl {
    private LocalUrl() {}

    /** Returns the URL of a port; a wildcard address becomes the loopback address. */
    public static String of(boolean tls, String address, int port) {
        String host = address.equals("0.0.0.0") || address.equals("::") ? "127.0.0.1" : address;
        return "%s://%s:%d".formatted(tls ? "https" : "http", host.contains(":") ? "[" + host + "]" : host, port);
    }
}
