package io.millrace.gateway.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.millrace.gateway.objects.monitor.ErrorHistory;
import io.millrace.gateway.objects.monitor.MeterName;
import io.millrace.gateway.objects.monitor.TrafficBreakdown;
import io.millrace.gateway.objects.monitor.TrafficDimension;
import io.millrace.gateway.objects.monitor.TrafficHistorySource;
import io.millrace.gateway.objects.monitor.TrafficPoint;
import io.millrace.gateway.s3.connection.ConnectionMeters;
import io.millrace.gateway.s3.connection.RefusalReason;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Tests that the alarms which are made from meters find them. */
class AlarmSourcesTest {
    private final MeterRegistry registry = new SimpleMeterRegistry();
    private final AlarmSources sources =
            AlarmSources.of(() -> true, Optional.empty(), List::of, Optional::empty, new NoTraffic(), registry);

    @Test
    void onlyConnectionsBeyondALimitCount() {
        assertThat(sources.refusedConnections().getAsDouble()).isZero();
        ConnectionMeters s3 = new ConnectionMeters(registry, "s3");
        ConnectionMeters hub = new ConnectionMeters(registry, "hub");
        s3.refused(RefusalReason.HANDSHAKE);
        s3.refused(RefusalReason.MAX_CONNECTIONS);
        hub.refused(RefusalReason.MAX_CONNECTIONS_PER_ADDRESS);

        assertThat(sources.refusedConnections().getAsDouble()).isEqualTo(2);
    }

    @Test
    void anAccessLogFailsWhileItsGaugeSaysSo() {
        assertThat(sources.isAccessLogFailing().getAsBoolean())
                .as("without one")
                .isFalse();
        AtomicInteger failing = new AtomicInteger();
        Gauge.builder(MeterName.ACCESS_LOG_FAILING.wireName(), failing, AtomicInteger::get)
                .register(registry);
        assertThat(sources.isAccessLogFailing().getAsBoolean()).isFalse();

        failing.set(1);

        assertThat(sources.isAccessLogFailing().getAsBoolean()).isTrue();
    }

    @Test
    void transformsFailWhileTheirGaugesSaySo() {
        AtomicInteger failing = new AtomicInteger(1);
        for (String name : List.of("decode", "thumb")) {
            Gauge.builder(
                            MeterName.TRANSFORM_FAILING.wireName(),
                            failing,
                            state -> name.equals("thumb") ? state.get() : 0)
                    .tag("transform", name)
                    .register(registry);
        }
        assertThat(sources.transforms().get()).containsExactly(entry("decode", false), entry("thumb", true));

        failing.set(0);

        assertThat(sources.transforms().get()).doesNotContainValue(true);
    }

    private static final class NoTraffic implements TrafficHistorySource {
        @Override
        public List<TrafficPoint> last(Duration length) {
            return List.of();
        }

        @Override
        public TrafficBreakdown breakdown(TrafficDimension by, Duration length) {
            throw new UnsupportedOperationException();
        }

        @Override
        public ErrorHistory errors(Duration length) {
            throw new UnsupportedOperationException();
        }
    }
}
