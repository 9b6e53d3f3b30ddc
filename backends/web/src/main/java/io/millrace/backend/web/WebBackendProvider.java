package io.millrace.backend.web;

import io.millrace.backend.spi.Backend;
import io.millrace.backend.spi.BackendProvider;
import java.util.OptionalInt;

/** Creates backends of type {@code http}: the files of a web server, read-only. */
public final class WebBackendProvider implements BackendProvider<WebBackendSettings> {
    @Override
    public String type() {
        return "http";
    }

    @Override
    public Class<WebBackendSettings> settingsType() {
        return WebBackendSettings.class;
    }

    @Override
    public boolean hasCredentials(WebBackendSettings settings) {
        return settings.hasCredentials();
    }

    @Override
    public OptionalInt maxConnections(WebBackendSettings settings) {
        return OptionalInt.of(settings.connections().maxConnections());
    }

    @Override
    public Backend create(String name, WebBackendSettings settings) {
        return WebBackend.create(name, settings);
    }
}
