package io.millrace.gateway.objects.derived;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.FunctionTimer;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.millrace.gateway.archive.HiddenReason;
import io.millrace.gateway.archive.MemberIndex;
import io.millrace.gateway.objects.monitor.MeterName;
import io.millrace.kit.share.FairSemaphore;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;
import reactor.core.publisher.Mono;

/** The counts of scans of archives, of what they found, and of look-ups of indexes. Thread-safe. */
final class ArchiveMeters {
    private final Map<Outcome, Times> scans = new EnumMap<>(Outcome.class);
    private final Map<HiddenReason, LongAdder> hidden = new EnumMap<>(HiddenReason.class);
    private final LongAdder hits = new LongAdder();
    private final LongAdder misses = new LongAdder();

    /** An end of a scan. */
    private enum Outcome {
        OK,
        /** Not read to its end. */
        DAMAGED,
        /** Not read at all, or its bytes could not be had. */
        FAILED
    }

    /** The number and the time of scans with one outcome. */
    private static final class Times {
        final LongAdder count = new LongAdder();
        final LongAdder nanos = new LongAdder();

        void add(long begun) {
            count.increment();
            nanos.add(System.nanoTime() - begun);
        }
    }

    ArchiveMeters() {
        for (Outcome outcome : Outcome.values()) {
            scans.put(outcome, new Times());
        }
        for (HiddenReason reason : HiddenReason.values()) {
            hidden.put(reason, new LongAdder());
        }
    }

    /** Counts a look-up that found the index in memory. */
    void hit() {
        hits.increment();
    }

    /** Counts a look-up that waits for a scan. */
    void miss() {
        misses.increment();
    }

    /** Measures a scan from its subscription on. */
    Mono<MemberIndex> measured(Supplier<Mono<MemberIndex>> scan) {
        return Mono.defer(() -> {
            long begun = System.nanoTime();
            return Mono.defer(scan)
                    .doOnNext(members -> ended(begun, members))
                    .doOnError(failure -> times(Outcome.FAILED).add(begun));
        });
    }

    private void ended(long begun, MemberIndex members) {
        times(members.damage().isPresent() ? Outcome.DAMAGED : Outcome.OK).add(begun);
        hidden.forEach((reason, count) -> count.add(members.hidden(reason)));
    }

    private Times times(Outcome outcome) {
        return Objects.requireNonNull(scans.get(outcome));
    }

    /**
     * Registers all meters.
     *
     * @param indexes returns how many are in memory
     * @param bytes returns the memory that they take
     */
    void register(MeterRegistry registry, FairSemaphore slots, Supplier<Number> indexes, Supplier<Number> bytes) {
        scans.forEach((outcome, times) -> FunctionTimer.builder(
                        MeterName.ARCHIVE_SCAN.wireName(),
                        times,
                        now -> now.count.sum(),
                        now -> (double) now.nanos.sum(),
                        TimeUnit.NANOSECONDS)
                .description(MeterName.ARCHIVE_SCAN.description())
                .tag("outcome", outcome.name().toLowerCase(Locale.ROOT))
                .register(registry));
        gauge(MeterName.ARCHIVE_SCANS, slots::running).tag("state", "running").register(registry);
        gauge(MeterName.ARCHIVE_SCANS, slots::waiting).tag("state", "waiting").register(registry);
        hidden.forEach((reason, count) -> counter(MeterName.ARCHIVE_HIDDEN, count)
                .tag("reason", reason.label())
                .register(registry));
        gauge(MeterName.ARCHIVE_INDEXES, indexes).register(registry);
        gauge(MeterName.ARCHIVE_INDEX_BYTES, bytes).register(registry);
        counter(MeterName.ARCHIVE_LOOKUPS, hits).tag("result", "hit").register(registry);
        counter(MeterName.ARCHIVE_LOOKUPS, misses).tag("result", "miss").register(registry);
    }

    private static Gauge.Builder<Supplier<Number>> gauge(MeterName meter, Supplier<Number> number) {
        return Gauge.builder(meter.wireName(), number).description(meter.description());
    }

    private static FunctionCounter.Builder<LongAdder> counter(MeterName meter, LongAdder count) {
        return FunctionCounter.builder(meter.wireName(), count, LongAdder::doubleValue)
                .description(meter.description());
    }
}
