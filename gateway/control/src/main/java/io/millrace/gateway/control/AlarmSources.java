package io.millrace.gateway.control;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.millrace.gateway.audit.AuditLog;
import io.millrace.gateway.objects.monitor.MeterName;
import io.millrace.gateway.objects.monitor.TrafficHistorySource;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import java.util.function.DoubleSupplier;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * The sources of the alarms of the gateway as a whole. Each is read from memory.
 *
 * @param auditRefuses whether requests are refused while the audit log fails
 * @param isAccessLogFailing whether lines of the access log cannot be written; false without one
 * @param cluster what is known of the other members; empty without a cluster
 * @param refusedConnections how many were refused by a limit since the start
 * @param transforms whether all calls of the service of each have failed for a minute, by name
 */
public record AlarmSources(
        BooleanSupplier isMetadataUsable,
        BooleanSupplier isAuditFailing,
        boolean auditRefuses,
        BooleanSupplier isAccessLogFailing,
        DoubleSupplier refusedConnections,
        Supplier<Map<String, Boolean>> transforms,
        Supplier<List<CertificateState>> certificates,
        Supplier<Optional<ClusterView>> cluster,
        TrafficHistorySource traffic) {

    /** Those of a gateway, some by its meters, which the alert rules read too. */
    public static AlarmSources of(
            BooleanSupplier isMetadataUsable,
            Optional<AuditLog> audit,
            Supplier<List<CertificateState>> certificates,
            Supplier<Optional<ClusterView>> cluster,
            TrafficHistorySource traffic,
            MeterRegistry meters) {
        return new AlarmSources(
                isMetadataUsable,
                () -> audit.map(AuditLog::isFailing).orElse(false),
                audit.map(AuditLog::refuses).orElse(false),
                () -> meters.find(MeterName.ACCESS_LOG_FAILING.wireName()).gauges().stream()
                        .mapToDouble(Gauge::value)
                        .anyMatch(failing -> failing > 0),
                () -> meters.find(MeterName.CONNECTIONS_REFUSED.wireName()).counters().stream()
                        .filter(AlarmSources::isOfALimit)
                        .mapToDouble(Counter::count)
                        .sum(),
                () -> meters.find(MeterName.TRANSFORM_FAILING.wireName()).gauges().stream()
                        .collect(Collectors.toMap(
                                AlarmSources::transform, gauge -> gauge.value() > 0, Boolean::logicalOr, TreeMap::new)),
                certificates,
                cluster,
                traffic);
    }

    private static String transform(Gauge failing) {
        return Objects.requireNonNull(failing.getId().getTag("transform"));
    }

    private static boolean isOfALimit(Counter refused) {
        return Objects.requireNonNull(refused.getId().getTag("reason")).startsWith("max-connections");
    }
}
