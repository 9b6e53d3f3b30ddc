package io.millrace.gateway.objects.monitor;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.millrace.backend.resilience.ResilienceStats;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;

/**
 * The registered meters of the resilience of backends of one name, until they are closed. They follow one backend after
 * the other: a scrape that met meters removed and registered again would fail.
 */
public final class ResilienceMeters implements AutoCloseable {
    private final String backend;
    private volatile ResilienceStats stats;
    private final MeterRegistry registry;
    private final List<Meter> registered = new ArrayList<>();

    private ResilienceMeters(String backend, ResilienceStats stats, MeterRegistry registry) {
        this.backend = backend;
        this.stats = stats;
        this.registry = registry;
    }

    /**
     * Registers the meters of one backend.
     *
     * @param backend its name in the settings
     */
    public static ResilienceMeters register(String backend, ResilienceStats stats, MeterRegistry registry) {
        ResilienceMeters meters = new ResilienceMeters(backend, stats, registry);
        meters.counter(MeterName.BACKEND_RETRIES, ResilienceStats::retries);
        meters.counter(MeterName.BACKEND_HEDGES, ResilienceStats::hedges);
        meters.counter(MeterName.BACKEND_REFUSED, ResilienceStats::refusals);
        meters.counter(MeterName.BACKEND_DEADLINES, ResilienceStats::deadlines);
        meters.gauge(MeterName.BACKEND_DOWN, all -> all.isDown() ? 1 : 0);
        meters.gauge(MeterName.BACKEND_LIMIT, ResilienceStats::limit);
        meters.gauge(MeterName.BACKEND_IN_FLIGHT, ResilienceStats::inFlight);
        meters.gauge(MeterName.BACKEND_QUEUED, ResilienceStats::waiting);
        meters.gauge(MeterName.BACKEND_CLIENT_STREAMS, ResilienceStats::clientStreams);
        return meters;
    }

    /** Shows another backend of the name from now on. */
    public void follow(ResilienceStats other) {
        stats = other;
    }

    /** Removes the meters. */
    @Override
    public void close() {
        registered.forEach(registry::remove);
    }

    private void counter(MeterName meter, ToDoubleFunction<ResilienceStats> number) {
        registered.add(FunctionCounter.builder(meter.wireName(), this, meters -> number.applyAsDouble(meters.stats))
                .description(meter.description())
                .tag("backend", backend)
                .register(registry));
    }

    private void gauge(MeterName meter, ToDoubleFunction<ResilienceStats> number) {
        registered.add(Gauge.builder(meter.wireName(), this, meters -> number.applyAsDouble(meters.stats))
                .description(meter.description())
                .tag("backend", backend)
                .strongReference(true)
                .register(registry));
    }
}
