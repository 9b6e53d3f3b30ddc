package io.millrace.gateway.cluster;

/**
 * A member of a cluster, and where it listens for the others.
 *
 * @param name its name, of {@link ClusterPlace#isName}
 * @param host a host name, resolved anew for each connection, or an address
 * @param port 1 to 65535
 */
public record PeerAddress(String name, String host, int port) {
    /** Returns host and port as a URL has them. */
    public String authority() {
        return (host.indexOf(':') < 0 ? host : "[" + host + "]") + ":" + port;
    }
}
