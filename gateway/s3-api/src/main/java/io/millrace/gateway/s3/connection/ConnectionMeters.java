package io.millrace.gateway.s3.connection;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.millrace.gateway.objects.monitor.MeterName;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;

/** The meters of one port's connections: those that are open, and those that were refused, by reason. Thread-safe. */
public final class ConnectionMeters {
    private final AtomicInteger open = new AtomicInteger();
    private final AtomicInteger limit = new AtomicInteger();
    private final Map<RefusalReason, Counter> refused = new EnumMap<>(RefusalReason.class);

    /** @param port the section of the settings that names the port */
    public ConnectionMeters(MeterRegistry registry, String port) {
        Gauge.builder(MeterName.CONNECTIONS.wireName(), open, AtomicInteger::get)
                .description(MeterName.CONNECTIONS.description())
                .tag("port", port)
                .register(registry);
        Gauge.builder(MeterName.CONNECTIONS_LIMIT.wireName(), limit, AtomicInteger::get)
                .description(MeterName.CONNECTIONS_LIMIT.description())
                .tag("port", port)
                .register(registry);
        for (RefusalReason reason : RefusalReason.values()) {
            refused.put(
                    reason,
                    Counter.builder(MeterName.CONNECTIONS_REFUSED.wireName())
                            .description(MeterName.CONNECTIONS_REFUSED.description())
                            .tag("port", port)
                            .tag("reason", reason.wireName())
                            .register(registry));
        }
    }

    /** Counts a connection that was refused or cut. */
    public void refused(RefusalReason reason) {
        Objects.requireNonNull(refused.get(reason)).increment();
    }

    /** Sets the number of connections that may be open at one time. */
    void limit(int connections) {
        limit.set(connections);
    }

    /** Returns the number of open connections, without refused ones. */
    AtomicInteger open() {
        return open;
    }
}
