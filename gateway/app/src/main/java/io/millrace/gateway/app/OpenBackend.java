package io.millrace.gateway.app;

import io.millrace.backend.resilience.ResilienceStats;
import io.millrace.backend.resilience.ResilientBackend;
import io.millrace.backend.spi.Backend;
import io.millrace.config.SettingsVariant;
import io.millrace.gateway.objects.monitor.MeteredBackend;
import java.util.function.BooleanSupplier;

/** An open backend with the settings that it was made from. */
final class OpenBackend {
    private final String name;
    private final SettingsVariant settings;
    private final ResilientBackend backend;
    private final BooleanSupplier idle;

    /** @param metered the backend within {@code backend} */
    OpenBackend(String name, SettingsVariant settings, ResilientBackend backend, MeteredBackend metered) {
        this.name = name;
        this.settings = settings;
        this.backend = backend;
        this.idle = metered::isIdle;
    }

    String name() {
        return name;
    }

    ResilienceStats stats() {
        return backend.stats();
    }

    Backend backend() {
        return backend;
    }

    /** Returns whether these settings would make the same backend. */
    boolean hasSettings(SettingsVariant others) {
        return settings.equals(others);
    }

    /** Returns whether no call is under way. */
    boolean isIdle() {
        return idle.getAsBoolean();
    }
}
