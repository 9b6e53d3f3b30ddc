package io.millrace.backend.http;

import java.util.Optional;

/**
 * The settings of how the servers of a backend are reached.
 *
 * @param proxy empty for direct connections
 */
public record OutboundSettings(BackendTlsSettings tls, Optional<ProxySettings> proxy) {
    /** Direct connections that trust the authorities of the Java runtime. */
    public static final OutboundSettings DEFAULTS = new OutboundSettings(BackendTlsSettings.DEFAULTS, Optional.empty());

    /** Returns the settings for servers other than the backend's, which are not to see its client certificate. */
    public OutboundSettings forOtherServers() {
        return new OutboundSettings(tls.withoutCertificate(), proxy);
    }
}
