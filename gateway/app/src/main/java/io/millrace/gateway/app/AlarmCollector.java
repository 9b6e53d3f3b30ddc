package io.millrace.gateway.app;

import io.millrace.gateway.app.tls.PortCertificates.CertificateState;
import io.millrace.gateway.audit.AuditLog;
import io.millrace.gateway.control.status.GatewayStatus.Alarm;
import io.millrace.gateway.control.status.StateClock;
import io.millrace.gateway.objects.monitor.TrafficHistorySource;
import io.millrace.gateway.objects.monitor.TrafficPoint;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * Collects the alarms that concern the gateway as a whole: its metadata store, audit log and certificates, and failing requests. Reads
 * memory only. The limits are those of {@code charts/millrace/files/rules.yaml}.
 */
final class AlarmCollector implements Supplier<List<Alarm>> {
    private static final Duration WARNING_BEFORE_EXPIRY = Duration.ofDays(7);
    private static final Duration CRITICAL_BEFORE_EXPIRY = Duration.ofDays(1);

    private static final Duration TRAFFIC = Duration.ofMinutes(5);
    private static final double SHARE_OF_ERRORS = 0.05;
    /** A tenth of a request a second: of fewer, a share says nothing. */
    private static final long LEAST_REQUESTS = TRAFFIC.toSeconds() / 10;

    private static final String CRITICAL = "critical";
    private static final String WARNING = "warning";

    private final BooleanSupplier isMetadataUsable;
    private final BooleanSupplier isAuditFailing;
    private final boolean auditRefuses;
    private final Supplier<List<CertificateState>> certificates;
    private final TrafficHistorySource traffic;
    private final StateClock since;
    private final InstantSource clock;

    AlarmCollector(
            BooleanSupplier isMetadataUsable,
            Optional<AuditLog> audit,
            Supplier<List<CertificateState>> certificates,
            TrafficHistorySource traffic,
            StateClock since,
            InstantSource clock) {
        this(
                isMetadataUsable,
                () -> audit.map(AuditLog::isFailing).orElse(false),
                audit.map(AuditLog::refuses).orElse(false),
                certificates,
                traffic,
                since,
                clock);
    }

    /** @param auditRefuses whether requests are refused while the audit log fails */
    AlarmCollector(
            BooleanSupplier isMetadataUsable,
            BooleanSupplier isAuditFailing,
            boolean auditRefuses,
            Supplier<List<CertificateState>> certificates,
            TrafficHistorySource traffic,
            StateClock since,
            InstantSource clock) {
        this.isMetadataUsable = isMetadataUsable;
        this.isAuditFailing = isAuditFailing;
        this.auditRefuses = auditRefuses;
        this.certificates = certificates;
        this.traffic = traffic;
        this.since = since;
        this.clock = clock;
    }

    @Override
    public List<Alarm> get() {
        List<Alarm> alarms = new ArrayList<>();
        addIf(
                !isMetadataUsable.getAsBoolean(),
                alarms,
                "metadata-store",
                CRITICAL,
                "The metadata store cannot be used: every read asks its backend, and /ready is 503. The log has the cause; mend the"
                        + " file system of cache.metadata.path.");
        addIf(
                isAuditFailing.getAsBoolean(),
                alarms,
                "audit-log",
                auditRefuses ? CRITICAL : WARNING,
                "The audit log cannot be written, or too slowly: requests that it would record are %s. Make room, or repair the file system of audit.path."
                        .formatted(auditRefuses ? "refused" : "served without a record"));
        addFailingRequests(alarms);
        certificates.get().forEach(certificate -> addCertificate(certificate, alarms));
        return List.copyOf(alarms);
    }

    private void addFailingRequests(List<Alarm> alarms) {
        List<TrafficPoint> points = traffic.last(TRAFFIC);
        long requests = points.stream().mapToLong(TrafficPoint::requests).sum();
        long errors = points.stream().mapToLong(TrafficPoint::errors).sum();
        addIf(
                requests > LEAST_REQUESTS && errors > requests * SHARE_OF_ERRORS,
                alarms,
                "requests",
                CRITICAL,
                String.format(
                        Locale.ROOT,
                        "%,d of %,d requests of the last 5 minutes failed with 5xx or broke off. The page Errors and millrace errors tell which.",
                        errors,
                        requests));
    }

    private void addCertificate(CertificateState certificate, List<Alarm> alarms) {
        String port = certificate.port();
        Duration left = Duration.between(clock.instant(), certificate.expires());
        addIf(
                left.compareTo(WARNING_BEFORE_EXPIRY) < 0,
                alarms,
                "certificate",
                "certificate " + port,
                left.compareTo(CRITICAL_BEFORE_EXPIRY) < 0 ? CRITICAL : WARNING,
                "The certificate of %s.tls %s %s. Replace the files of %s.tls; they are read again by themselves."
                        .formatted(
                                port,
                                left.isNegative() ? "has expired at" : "expires at",
                                certificate.expires(),
                                port));
        addIf(
                certificate.isReloadFailing(),
                alarms,
                "certificate-reload",
                "certificate-reload " + port,
                WARNING,
                "The files of %s.tls have changed and cannot be used; the log says why. The certificate before stays in use, until %s."
                        .formatted(port, certificate.expires()));
    }

    private void addIf(boolean isWrong, List<Alarm> alarms, String kind, String level, String message) {
        addIf(isWrong, alarms, kind, kind, level, message);
    }

    /** @param thing the name by which the clock knows it */
    private void addIf(boolean isWrong, List<Alarm> alarms, String kind, String thing, String level, String message) {
        // Also if nothing is wrong, so that the next time begins anew.
        Instant first = since.since("alarm " + thing, isWrong ? "wrong" : "good");
        if (isWrong) {
            alarms.add(new Alarm(kind, level, first, message));
        }
    }
}
