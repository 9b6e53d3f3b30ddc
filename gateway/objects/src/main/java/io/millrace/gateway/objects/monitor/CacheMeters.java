package io.millrace.gateway.objects.monitor;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.millrace.cache.CacheOccupancy;
import io.millrace.cache.metadata.MetadataStoreStats;
import io.millrace.cache.metadata.ObjectPrefix;
import io.millrace.cache.monitor.CacheEventListener;
import io.millrace.cache.monitor.EvictionReason;
import io.millrace.cache.monitor.NonAdmissionReason;
import io.millrace.cache.residency.GroupResidency;
import java.text.DecimalFormat;
import java.text.DecimalFormatSymbols;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalDouble;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;

/** The {@link CacheEventListener} that counts the cache's events in meters. */
public final class CacheMeters implements CacheEventListener {
    private final MeterRegistry registry;
    private final Counter stored;
    private final Counter notStored;
    private final Map<NonAdmissionReason, Counter> notAdmitted;
    private final Map<EvictionReason, Counter> evicted;
    private final Counter removedForQuotas;
    private final Counter moved;
    private final Counter corrupt;
    private final Counter checksumMismatches;
    private final Counter diskErrors;
    private final Counter fetches;
    private final Counter fetched;
    private final Counter joins;
    private final Counter served;
    private final Counter scrubbed;

    public CacheMeters(MeterRegistry registry) {
        this.registry = registry;
        stored = counter(MeterName.CACHE_STORED);
        notStored = counter(MeterName.CACHE_NOT_STORED);
        notAdmitted = counters(MeterName.CACHE_NOT_ADMITTED, NonAdmissionReason.class);
        removedForQuotas = counter(MeterName.CACHE_QUOTA_REMOVED);
        evicted = counters(MeterName.CACHE_EVICTED, EvictionReason.class);
        moved = counter(MeterName.CACHE_COPIED_FORWARD);
        corrupt = counter(MeterName.CACHE_CORRUPT);
        checksumMismatches = counter(MeterName.CHECKSUM_MISMATCHES);
        diskErrors = counter(MeterName.CACHE_DISK_ERRORS);
        fetches = counter(MeterName.CACHE_FETCHES);
        fetched = counter(MeterName.CACHE_FETCHED);
        joins = counter(MeterName.CACHE_COLLAPSED);
        served = counter(MeterName.CACHE_SERVED);
        scrubbed = counter(MeterName.CACHE_SCRUBBED);
    }

    /** Registers gauges of the cache's sizes. */
    public void watch(Supplier<CacheOccupancy> state) {
        gauge(MeterName.CACHE_USED, state, CacheOccupancy::used);
        gauge(MeterName.CACHE_SIZE, state, CacheOccupancy::capacity);
        gauge(MeterName.CACHE_AVAILABLE, state, CacheOccupancy::available);
        gauge(MeterName.CACHE_BLOCKS, state, CacheOccupancy::records);
        gauge(MeterName.CACHE_INDEX, state, CacheOccupancy::indexMemory);
        gauge(MeterName.CACHE_FILLS, state, CacheOccupancy::fills);
        gauge(MeterName.CACHE_IN_FLIGHT, state, CacheOccupancy::inFlight);
    }

    /** Registers gauges of the metadata store. */
    public void watchMetadata(Supplier<MetadataStoreStats> state) {
        gauge(MeterName.METADATA_HEALTHY, state, now -> now.healthy() ? 1 : 0);
        gauge(MeterName.METADATA_OBJECTS, state, MetadataStoreStats::entries);
        gauge(MeterName.METADATA_DISK, state, MetadataStoreStats::diskBytes);
        gauge(MeterName.METADATA_MEMORY, state, MetadataStoreStats::memoryBytes);
    }

    /**
     * Registers gauges of the estimated hit ratio at other cache sizes.
     *
     * @param sizes multiples of the cache's size
     * @param hitRatio returns the ratio by index in {@code sizes}; empty, shown as NaN, while there is too little data
     */
    public void watch(List<Double> sizes, IntFunction<OptionalDouble> hitRatio) {
        for (int i = 0; i < sizes.size(); i++) {
            int size = i;
            Gauge.builder(
                            MeterName.CACHE_HIT_RATIO_ESTIMATE.wireName(),
                            () -> hitRatio.apply(size).orElse(Double.NaN))
                    .description(MeterName.CACHE_HIT_RATIO_ESTIMATE.description())
                    .tag(
                            "size",
                            new DecimalFormat("0.#", DecimalFormatSymbols.getInstance(Locale.ROOT))
                                    .format(sizes.get(i)))
                    .register(registry);
        }
    }

    /**
     * Registers gauges of the cached bytes of each tracked prefix.
     *
     * @param first the initial value of each
     * @param names returns the name for clients
     * @param state returns the current value by index in {@code first}
     */
    public void watchCounted(
            List<GroupResidency> first,
            Function<ObjectPrefix, MeteredPrefix> names,
            IntFunction<GroupResidency> state) {
        for (int i = 0; i < first.size(); i++) {
            int at = i;
            Tags tags = tags(first.get(i).objects(), names);
            counted(MeterName.RESIDENT_BYTES, tags, () -> state.apply(at).bytes());
            counted(MeterName.RESIDENT_BLOCKS, tags, () -> state.apply(at).blocks());
            if (first.get(i).most().isPresent()) {
                counted(
                        MeterName.CACHE_QUOTA,
                        tags,
                        () -> state.apply(at).most().orElse(0));
            }
        }
    }

    private static Tags tags(ObjectPrefix objects, Function<ObjectPrefix, MeteredPrefix> names) {
        MeteredPrefix name = names.apply(objects);
        return Tags.of(
                "bucket", name.bucket(),
                "prefix", name.prefix(),
                "backend", objects.backend(),
                "backend_bucket", objects.bucket().value(),
                "backend_prefix", objects.prefix());
    }

    private void counted(MeterName meter, Tags tags, Supplier<Number> number) {
        Gauge.builder(meter.wireName(), number)
                .description(meter.description())
                .tags(tags)
                .register(registry);
    }

    @Override
    public void stored(long bytes) {
        stored.increment((double) bytes);
    }

    @Override
    public void notStored(long bytes) {
        notStored.increment((double) bytes);
    }

    @Override
    public void notAdmitted(NonAdmissionReason reason, long bytes) {
        Objects.requireNonNull(notAdmitted.get(reason)).increment((double) bytes);
    }

    @Override
    public void removedForQuota(long bytes) {
        removedForQuotas.increment((double) bytes);
    }

    @Override
    public void evicted(EvictionReason reason, long bytes, long copied) {
        Objects.requireNonNull(evicted.get(reason)).increment((double) bytes);
        moved.increment((double) copied);
    }

    @Override
    public void checksumMismatch() {
        checksumMismatches.increment();
    }

    @Override
    public void corrupt() {
        corrupt.increment();
    }

    @Override
    public void scrubbed(long bytes) {
        scrubbed.increment((double) bytes);
    }

    @Override
    public void diskError() {
        diskErrors.increment();
    }

    @Override
    public void fetch() {
        fetches.increment();
    }

    @Override
    public void fetched(long bytes) {
        fetched.increment((double) bytes);
    }

    @Override
    public void collapsed() {
        joins.increment();
    }

    @Override
    public void served(long bytes) {
        served.increment((double) bytes);
    }

    private Counter counter(MeterName meter) {
        return Counter.builder(meter.wireName())
                .description(meter.description())
                .register(registry);
    }

    /** Returns a counter for each reason. */
    private <E extends Enum<E>> Map<E, Counter> counters(MeterName meter, Class<E> reasons) {
        Map<E, Counter> counters = new EnumMap<>(reasons);
        for (E reason : EnumSet.allOf(reasons)) {
            counters.put(
                    reason,
                    Counter.builder(meter.wireName())
                            .description(meter.description())
                            .tag(
                                    "reason",
                                    reason.name().toLowerCase(Locale.ROOT).replace('_', '-'))
                            .register(registry));
        }
        return counters;
    }

    private <T> void gauge(MeterName meter, Supplier<T> state, ToDoubleFunction<T> number) {
        Gauge.builder(meter.wireName(), state, now -> number.applyAsDouble(now.get()))
                .description(meter.description())
                .strongReference(true)
                .register(registry);
    }
}
