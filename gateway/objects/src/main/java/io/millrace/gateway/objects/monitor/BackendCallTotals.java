package io.millrace.gateway.objects.monitor;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.millrace.backend.spi.BackendException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Totals of the calls, failures and call time of each backend since the start; the difference of two is the load in
 * between. Cancelled calls are not counted.
 */
public record BackendCallTotals(Map<String, Sum> byName) {
    private static final Set<String> ERRORS = Stream.concat(
                    Arrays.stream(BackendException.FailureKind.values())
                            .filter(kind -> FailureScope.of(kind) == FailureScope.BACKEND)
                            .map(MeteredBackend::outcome),
                    Stream.of(MeteredBackend.UNEXPECTED))
            .collect(Collectors.toUnmodifiableSet());

    /** The totals of one backend. */
    public record Sum(long calls, long errors, double micros) {
        static final Sum NONE = new Sum(0, 0, 0);

        Sum plus(Sum other) {
            return new Sum(calls + other.calls, errors + other.errors, micros + other.micros);
        }
    }

    public static BackendCallTotals of(MeterRegistry registry) {
        Map<String, Sum> sums = new HashMap<>();
        for (Timer timer : registry.find(MeterName.BACKEND_CALL.wireName()).timers()) {
            String outcome = String.valueOf(timer.getId().getTag("outcome"));
            if (outcome.equals(MeteredBackend.CANCELLED)) {
                continue; // How long it took was the caller's choice.
            }
            long calls = timer.count();
            boolean failed = ERRORS.contains(outcome);
            Sum sum = new Sum(calls, failed ? calls : 0, timer.totalTime(TimeUnit.MICROSECONDS));
            sums.merge(String.valueOf(timer.getId().getTag("backend")), sum, Sum::plus);
        }
        return new BackendCallTotals(Map.copyOf(sums));
    }

    /** Returns the load of a backend since an earlier snapshot. */
    public BackendCallStatistics since(BackendCallTotals before, String backend) {
        Sum now = byName.getOrDefault(backend, Sum.NONE);
        Sum then = before.byName.getOrDefault(backend, Sum.NONE);
        long calls = now.calls - then.calls;
        return new BackendCallStatistics(
                calls,
                now.errors - then.errors,
                calls == 0 ? OptionalLong.empty() : OptionalLong.of(Math.round((now.micros - then.micros) / calls)));
    }
}
