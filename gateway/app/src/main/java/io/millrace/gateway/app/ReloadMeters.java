package io.millrace.gateway.app;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.millrace.gateway.objects.monitor.MeterName;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Locale;

/** Updates the meters of reloads: their outcomes, the last success, and the changes that need a restart. */
final class ReloadMeters {
    private final MeterRegistry registry;
    private final InstantSource clock;
    private volatile Instant loaded;
    private volatile int pending;

    /** The outcome of a reload. */
    enum Outcome {
        APPLIED,
        /** The file has nothing that a reload applies. */
        UNCHANGED,
        REFUSED
    }

    ReloadMeters(MeterRegistry registry, InstantSource clock) {
        this.registry = registry;
        this.clock = clock;
        this.loaded = clock.instant();
        Gauge.builder(MeterName.SETTINGS_LOADED.wireName(), this, meters -> meters.loaded.getEpochSecond())
                .description(MeterName.SETTINGS_LOADED.description())
                .strongReference(true)
                .register(registry);
        Gauge.builder(MeterName.SETTINGS_PENDING.wireName(), this, meters -> meters.pending)
                .description(MeterName.SETTINGS_PENDING.description())
                .strongReference(true)
                .register(registry);
        for (Outcome outcome : Outcome.values()) {
            counter(outcome);
        }
    }

    /** Records a reload of a file without problems. */
    void succeeded(Outcome outcome, int needingRestart) {
        counter(outcome).increment();
        loaded = clock.instant();
        pending = needingRestart;
    }

    void refused() {
        counter(Outcome.REFUSED).increment();
    }

    private Counter counter(Outcome outcome) {
        return Counter.builder(MeterName.SETTINGS_RELOADS.wireName())
                .description(MeterName.SETTINGS_RELOADS.description())
                .tag("outcome", outcome.name().toLowerCase(Locale.ROOT))
                .register(registry);
    }
}
