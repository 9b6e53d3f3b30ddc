package io.millrace.gateway.app;

import io.millrace.auth.session.SignInSettings;
import io.millrace.config.Reloadable;
import io.millrace.config.SettingDescription;
import io.millrace.config.problem.SettingRange;
import io.millrace.gateway.tls.TlsSettings;
import java.util.Optional;

/** Settings of the control plane's port, which serves health, metrics, the API and the console. */
public record ControlPlaneSettings(
        @SettingDescription(
                value = "The address of the control plane: health and metrics without authentication, the API with"
                        + " it.",
                defaultValue = "127.0.0.1")
        String address,

        @SettingDescription(value = "The port; 0 selects any free port.", defaultValue = "9081")
        int port,

        @SettingDescription(
                "TLS on the port. Without it the port speaks plain HTTP; keep it off untrusted networks then.")
        Optional<TlsSettings> tls,

        @Reloadable
        @SettingDescription(
                "The identity provider (OpenID Connect) at which people sign in to the console. Without it they sign in"
                        + " with keys.")
        Optional<SignInSettings> oidc,

        @Reloadable(false)
        @SettingDescription(
                value = "Whether /metrics has requests, results, bytes and first bytes by identity, besides those by"
                        + " bucket. Its readers see the names then.",
                defaultValue = "false")
        boolean metricsByIdentity) {
    /** Open connections of the port, beyond which the one that has been idle longest is closed. */
    static final int MOST_CONNECTIONS = 1024;

    /** Those of one address, or one IPv6 network. */
    static final int MOST_CONNECTIONS_OF_ONE = MOST_CONNECTIONS / 4;

    /**
     * @throws IllegalArgumentException if the port is out of range
     */
    public ControlPlaneSettings {
        SettingRange.requirePort("port", port);
    }
}
