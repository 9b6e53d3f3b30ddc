package io.millrace.backend.gcs;

import java.net.InetSocketAddress;
import java.net.URI;

/**
 * Name of a backend and base URL of its server. The text form names both in messages.
 *
 * @param backend its name in the settings
 * @param url http or https, host and port
 */
record GcsServerAddress(String backend, URI url) {
    private static final int HTTPS = 443;
    private static final int HTTP = 80;

    boolean isSecured() {
        return "https".equals(url.getScheme());
    }

    InetSocketAddress address() {
        int port = url.getPort() >= 0 ? url.getPort() : isSecured() ? HTTPS : HTTP;
        return InetSocketAddress.createUnresolved(url.getHost(), port);
    }

    /** Returns the value of the {@code Host} header. */
    String host() {
        return url.getPort() >= 0 ? url.getHost() + ":" + url.getPort() : url.getHost();
    }

    @Override
    public String toString() {
        return "backend '%s' (%s)".formatted(backend, url);
    }
}
