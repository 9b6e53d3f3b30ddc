package io.millrace.gateway.objects.derived;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.millrace.gateway.objects.monitor.MeterName;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.LongSupplier;
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

    /** By name: what is mended by a reload is well with the first call of the service after it. */
    private final ConcurrentMap<String, TransformHealth> health = new ConcurrentHashMap<>();

    private final LongSupplier nanoTime;

    private record Place(String name, TransformSettings settings) {}

    public Transforms(MeterRegistry registry) {
        this(registry, Runtime.getRuntime().maxMemory() / SHARE_OF_HEAP, System::nanoTime);
    }

    /**
     * @param bytes the memory for the results of all transforms
     * @param nanoTime as {@link System#nanoTime}
     */
    Transforms(MeterRegistry registry, long bytes, LongSupplier nanoTime) {
        this.registry = registry;
        this.bytes = bytes;
        this.nanoTime = nanoTime;
    }

    /** Returns the transforms of the settings, by name. */
    Map<String, Transform> of(Map<String, TransformSettings> settings) {
        long share = bytes / Math.max(1, settings.size());
        return settings.entrySet().stream()
                .collect(Collectors.toUnmodifiableMap(
                        Map.Entry::getKey, entry -> transform(entry.getKey(), entry.getValue(), share)));
    }

    private TransformHealth watched(String name) {
        TransformHealth watched = new TransformHealth(nanoTime);
        Gauge.builder(MeterName.TRANSFORM_FAILING.wireName(), watched, one -> one.isFailing() ? 1 : 0)
                .description(MeterName.TRANSFORM_FAILING.description())
                .tag("transform", name)
                .register(registry);
        return watched;
    }

    private Transform transform(String name, TransformSettings settings, long share) {
        TransformHealth known = health.computeIfAbsent(name, this::watched);
        TransformService service = services.computeIfAbsent(
                new Place(name, settings.ofService(share)),
                place -> new TransformService(name, place.settings(), known, registry));
        return new Transform(name, settings, service);
    }
}
