package io.millrace.gateway.app;

import io.micrometer.core.instrument.MeterRegistry;
import io.millrace.gateway.objects.monitor.ResilienceMeters;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;

/** Holder of the snapshot in force. Closes backends: those that a new snapshot has no more, once nothing uses them. */
final class CurrentSettings implements Supplier<SettingsSnapshot>, AutoCloseable {
    private final MeterRegistry registry;
    private final Map<String, ResilienceMeters> meters = new HashMap<>();
    private final RetiredBackends retired = new RetiredBackends();
    private volatile SettingsSnapshot snapshot;

    CurrentSettings(SettingsSnapshot first, MeterRegistry registry) {
        this.snapshot = first;
        this.registry = registry;
        showBackends(first);
    }

    @Override
    public SettingsSnapshot get() {
        return snapshot;
    }

    /** Puts another snapshot in force, for all requests that begin from now on. Called by one thread at a time. */
    void replace(SettingsSnapshot next) {
        SettingsSnapshot before = snapshot;
        snapshot = next;
        showBackends(next);
        Set<OpenBackend> open = new HashSet<>(next.backends().values());
        retired.add(
                before.backends().values().stream()
                        .filter(backend -> !open.contains(backend))
                        .toList(),
                before.requests());
    }

    /** Registers, changes or removes the meters of backends. */
    private void showBackends(SettingsSnapshot now) {
        now.backends()
                .forEach((name, backend) -> meters.computeIfAbsent(
                                name, absent -> ResilienceMeters.register(name, backend.stats(), registry))
                        .follow(backend.stats()));
        meters.entrySet().removeIf(shown -> {
            boolean isGone = !now.backends().containsKey(shown.getKey());
            if (isGone) {
                shown.getValue().close();
            }
            return isGone;
        });
    }

    /** Closes all backends. */
    @Override
    public void close() {
        retired.close();
        new OpenBackends(SettingsSnapshot.byName(snapshot.backends().values())).close();
    }
}
