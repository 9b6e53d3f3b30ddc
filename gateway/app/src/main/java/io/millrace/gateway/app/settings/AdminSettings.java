package io.millrace.gateway.app.settings;

import io.millrace.config.Setting;

/** Settings of the control plane's port, which serves health, metrics, the API and the console. */
public record AdminSettings(
        @Setting(
                value = "The address of the control plane: health and metrics without authentication, the API with"
                        + " it. It has no TLS, so keep it off untrusted networks.",
                defaultValue = "127.0.0.1")
        String address,

        @Setting(value = "The port; 0 selects any free port.", defaultValue = "9081")
        int port) {
    /**
     * @throws IllegalArgumentException if the port is out of range
     */
    public AdminSettings {
        if (port < 0 || port > 65_535) {
            throw new IllegalArgumentException("port %d is not between 0 and 65535".formatted(port));
        }
    }
}
