package io.millrace.gateway.s3.observe;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.gateway.objects.bucket.BucketSavings.SavingsSnapshot;
import io.millrace.gateway.objects.bucket.BucketSavingsRegistry;
import io.millrace.gateway.objects.bucket.ClientBucketNames;
import io.millrace.gateway.objects.monitor.BackendCallTotals;
import io.millrace.gateway.objects.monitor.MeterName;
import io.millrace.gateway.objects.monitor.TrafficDimension;
import java.util.Arrays;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Reads the totals of each operation, backend and bucket from the meters and the savings. Follows {@link #MOST} names
 * of each; later ones are left out, so that the history is bounded. Not thread-safe.
 */
final class TrafficDimensionReader {
    static final int MOST = 32;

    private static final Set<String> FAILURES = Arrays.stream(OutcomeCategory.values())
            .filter(OutcomeCategory::isFailure)
            .map(OutcomeCategory::wireName)
            .collect(Collectors.toUnmodifiableSet());

    private final MeterRegistry registry;
    private final BucketSavingsRegistry savings;
    private final Supplier<ClientBucketNames> names;
    private final Map<TrafficDimension, Set<String>> followed = new EnumMap<>(TrafficDimension.class);

    /** The identity of one operation, backend or bucket. */
    record LineKey(TrafficDimension by, String name) {}

    TrafficDimensionReader(MeterRegistry registry, BucketSavingsRegistry savings, Supplier<ClientBucketNames> names) {
        this.registry = registry;
        this.savings = savings;
        this.names = names;
    }

    Map<LineKey, TrafficDimensionTotals> read(BackendCallTotals calls) {
        Map<LineKey, TrafficDimensionTotals> totals = new HashMap<>();
        for (Timer timer : registry.find(MeterName.REQUEST.wireName()).timers()) {
            add(totals, TrafficDimension.OPERATION, tag(timer.getId().getTag("operation")), requests(timer));
        }
        calls.byName()
                .forEach((name, sum) -> add(
                        totals,
                        TrafficDimension.BACKEND,
                        name,
                        new TrafficDimensionTotals(sum.calls(), sum.errors(), 0, 0, 0, sum.micros())));
        addBytes(totals, TrafficDimension.OPERATION, MeterName.BYTES_OUT, "operation");
        addBytes(totals, TrafficDimension.BACKEND, MeterName.BACKEND_BYTES_IN, "backend");
        savings.statements().stream()
                .filter(one -> !one.bucket().isEmpty())
                .sorted(Comparator.comparingLong(SavingsSnapshot::requestsServed)
                        .reversed())
                .forEach(one -> add(totals, TrafficDimension.BUCKET, nameOf(one), bucket(one)));
        return Map.copyOf(totals);
    }

    private static TrafficDimensionTotals requests(Timer timer) {
        long count = timer.count();
        boolean failed = FAILURES.contains(tag(timer.getId().getTag("outcome")));
        return new TrafficDimensionTotals(count, failed ? count : 0, 0, 0, 0, timer.totalTime(TimeUnit.MICROSECONDS));
    }

    private static TrafficDimensionTotals bucket(SavingsSnapshot one) {
        return TrafficDimensionTotals.ofBucket(
                one.requestsServed(), one.bytesServed(), one.requestsSent(), one.bytesFetched());
    }

    private String nameOf(SavingsSnapshot one) {
        return names.get().of(one.backend(), new BucketName(one.bucket()));
    }

    private void addBytes(
            Map<LineKey, TrafficDimensionTotals> totals, TrafficDimension by, MeterName meter, String tag) {
        for (Counter counter : registry.find(meter.wireName()).counters()) {
            TrafficDimensionTotals bytes = new TrafficDimensionTotals(0, 0, (long) counter.count(), 0, 0, 0);
            add(totals, by, tag(counter.getId().getTag(tag)), bytes);
        }
    }

    private void add(
            Map<LineKey, TrafficDimensionTotals> totals,
            TrafficDimension by,
            String name,
            TrafficDimensionTotals added) {
        Set<String> known = followed.computeIfAbsent(by, absent -> new HashSet<>());
        if (known.contains(name) || (isActive(added) && known.size() < MOST && known.add(name))) {
            totals.merge(new LineKey(by, name), added, TrafficDimensionTotals::plus);
        }
    }

    private static boolean isActive(TrafficDimensionTotals totals) {
        return totals.requests() > 0 || totals.backendRequests() > 0;
    }

    private static String tag(@Nullable String value) {
        return String.valueOf(value);
    }
}
