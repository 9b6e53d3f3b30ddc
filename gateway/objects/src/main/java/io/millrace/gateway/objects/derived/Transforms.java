package io.millrace.gateway.objects.derived;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.millrace.gateway.objects.monitor.MeterName;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.stream.Collectors;

/**
 * The services of transforms. They outlive the settings that name them: one whose settings did not change keeps its
 * connections, its breaker and its bound of calls over reloads. Thread-safe.
 */
public final class Transforms {
    /** The part of the heap for results, which all transforms have alike: an exhausted heap ends the process. */
    static final int SHARE_OF_HEAP = 4;

    private final MeterRegistry registry;
    private final long bytes;

    /** Also those that no settings name any more, which have no connections then. There are as many as were written. */
    private final ConcurrentMap<Place, TransformService> services = new ConcurrentHashMap<>();

    /** The names that the meter of failing services has. */
    private final Set<String> watched = ConcurrentHashMap.newKeySet();

    private record Place(String name, TransformSettings settings) {}

    public Transforms(MeterRegistry registry) {
        this(registry, Runtime.getRuntime().maxMemory() / SHARE_OF_HEAP);
    }

    /** @param bytes the memory for the results of all transforms */
    Transforms(MeterRegistry registry, long bytes) {
        this.registry = registry;
        this.bytes = bytes;
    }

    /** Returns the transforms of the settings, by name. */
    Map<String, Transform> of(Map<String, TransformSettings> settings) {
        long share = bytes / Math.max(1, settings.size());
        settings.keySet().stream().filter(watched::add).forEach(this::watch);
        return settings.entrySet().stream()
                .collect(Collectors.toUnmodifiableMap(
                        Map.Entry::getKey, entry -> transform(entry.getKey(), entry.getValue(), share)));
    }

    /** Has the meter tell of all services of a transform: one before a reload is not called, and soon fails no more. */
    private void watch(String name) {
        Gauge.builder(MeterName.TRANSFORM_FAILING.wireName(), this, all -> all.isFailing(name) ? 1 : 0)
                .description(MeterName.TRANSFORM_FAILING.description())
                .tag("transform", name)
                .register(registry);
    }

    private boolean isFailing(String name) {
        return services.entrySet().stream()
                .anyMatch(entry ->
                        entry.getKey().name().equals(name) && entry.getValue().isFailing());
    }

    private Transform transform(String name, TransformSettings settings, long share) {
        TransformService service = services.computeIfAbsent(
                new Place(name, settings.ofService(share)),
                place -> new TransformService(name, place.settings(), registry));
        return new Transform(name, settings, service);
    }
}
