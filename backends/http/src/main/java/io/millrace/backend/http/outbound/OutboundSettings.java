package io.millrace.backend.http.outbound;

import java.util.Optional;

/**
 * The settings of how the servers of a backend are reached.
 *
 * @param proxy empty for direct connections
 */
public record OutboundSettings(BackendTlsSettings tls, Optional<ProxySettings> proxy) {
    /** The description of the setting {@code tls} of a backend. */
    public static final String TLS = "TLS to the server: trusted authorities and a client certificate.";

    /** The description of the setting {@code proxy} of a backend. */
    public static final String PROXY =
            "The HTTP proxy through which the server is reached. Without it the server is reached directly.";

    /** The description of the setting {@code connect-timeout} of a backend. */
    public static final String CONNECT = "How long to wait for a connection, and as long again for TLS.";

    /** The description of the setting {@code idle-timeout} of a backend. */
    public static final String IDLE = "How long the server may send nothing in the middle of a response while a reader"
            + " waits. Slow readers are not cut off.";

    /** Direct connections that trust the authorities of the Java runtime. */
    public static final OutboundSettings DEFAULTS = new OutboundSettings(BackendTlsSettings.DEFAULTS, Optional.empty());

    /** Returns the settings for servers other than the backend's, which are not to see its client certificate. */
    public OutboundSettings forOtherServers() {
        return new OutboundSettings(tls.withoutCertificate(), proxy);
    }
}
