package io.millrace.gateway.control;

import static io.millrace.gateway.control.Alarm.CRITICAL;
import static io.millrace.gateway.control.Alarm.WARNING;

import io.millrace.gateway.control.ClusterView.MemberState;
import io.millrace.gateway.objects.monitor.TrafficPoint;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Supplier;

/**
 * Collects the alarms that concern the gateway as a whole: its metadata store, logs, certificates, connections and
 * cluster, services of transforms, and failing requests. Reads memory only. The limits are those of {@code
 * charts/millrace/files/rules.yaml}.
 */
public final class AlarmCollector implements Supplier<List<Alarm>> {
    private static final Duration WARNING_BEFORE_EXPIRY = Duration.ofDays(7);
    private static final Duration CRITICAL_BEFORE_EXPIRY = Duration.ofDays(1);

    private static final Duration TRAFFIC = Duration.ofMinutes(5);
    private static final double SHARE_OF_ERRORS = 0.05;
    /** A tenth of a request a second: of fewer, a share says nothing. */
    private static final long LEAST_REQUESTS = TRAFFIC.toSeconds() / 10;

    private static final Map<MemberState, AlarmKind> MEMBER_ALARMS = new EnumMap<>(Map.of(
            MemberState.REFUSES, AlarmKind.MEMBER_REFUSES,
            MemberState.LISTS_DIFFER, AlarmKind.MEMBER_LIST,
            MemberState.AWAY, AlarmKind.MEMBER_AWAY));

    private final AlarmSources sources;
    private final RecentIncreaseWatch refusedConnections;
    private final StateClock since;
    private final InstantSource clock;

    public AlarmCollector(AlarmSources sources, StateClock since, InstantSource clock) {
        this.sources = sources;
        this.refusedConnections = new RecentIncreaseWatch(sources.refusedConnections(), TRAFFIC, clock);
        this.since = since;
        this.clock = clock;
    }

    @Override
    public List<Alarm> get() {
        List<Alarm> alarms = new ArrayList<>();
        addIf(
                !sources.isMetadataUsable().getAsBoolean(),
                alarms,
                AlarmKind.METADATA_STORE,
                CRITICAL,
                "The metadata store cannot be used: every read asks its backend, and /ready is 503. The log has the"
                        + " cause; mend the file system of cache.metadata.path.");
        addIf(
                sources.isAuditFailing().getAsBoolean(),
                alarms,
                AlarmKind.AUDIT_LOG,
                sources.auditRefuses() ? CRITICAL : WARNING,
                ("The audit log cannot be written, or too slowly: requests that it would record are %s. Make room, or"
                                + " repair the file system of audit.path.")
                        .formatted(sources.auditRefuses() ? "refused" : "served without a record"));
        addIf(
                sources.isAccessLogFailing().getAsBoolean(),
                alarms,
                AlarmKind.ACCESS_LOG,
                WARNING,
                "The access log cannot be written: its lines wait in memory, and are lost once 16,384 do. Make room, or"
                        + " repair the file system of s3.access-log.path.");
        addFailingRequests(alarms);
        addIf(
                refusedConnections.isSeen(),
                alarms,
                AlarmKind.CONNECTIONS,
                WARNING,
                "Connections were refused in the last 5 minutes: s3.max-connections or s3.max-connections-per-address"
                        + " is reached. Clients got SlowDown, or over TLS a closed connection. The log names one of"
                        + " them.");
        sources.transforms()
                .get()
                .forEach((name, isFailing) -> addIf(
                        isFailing,
                        alarms,
                        AlarmKind.TRANSFORM,
                        name,
                        WARNING,
                        ("All calls of the service of transform '%s' have failed for a minute, so what it has not made"
                                        + " yet is 503. The log has what it said; mend it, or transforms.%s.url.")
                                .formatted(name, name)));
        sources.certificates().get().forEach(certificate -> addCertificate(certificate, alarms));
        sources.cluster().get().ifPresent(cluster -> addCluster(cluster, alarms));
        return List.copyOf(alarms);
    }

    private void addFailingRequests(List<Alarm> alarms) {
        List<TrafficPoint> points = sources.traffic().last(TRAFFIC);
        long requests = points.stream().mapToLong(TrafficPoint::requests).sum();
        long errors = points.stream().mapToLong(TrafficPoint::errors).sum();
        addIf(
                requests > LEAST_REQUESTS && errors > requests * SHARE_OF_ERRORS,
                alarms,
                AlarmKind.REQUESTS,
                CRITICAL,
                String.format(
                        Locale.ROOT,
                        "%,d of %,d requests of the last 5 minutes failed with 5xx or broke off. The page Errors and"
                                + " millrace errors tell which.",
                        errors,
                        requests));
    }

    private void addCertificate(CertificateState certificate, List<Alarm> alarms) {
        String port = certificate.port();
        Duration left = Duration.between(clock.instant(), certificate.expires());
        addIf(
                left.compareTo(WARNING_BEFORE_EXPIRY) < 0,
                alarms,
                AlarmKind.CERTIFICATE,
                port,
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
                AlarmKind.CERTIFICATE_RELOAD,
                port,
                WARNING,
                ("The files of %s.tls have changed and cannot be used; the log says why. The certificate before stays"
                                + " in use, until %s.")
                        .formatted(port, certificate.expires()));
    }

    private void addCluster(ClusterView cluster, List<Alarm> alarms) {
        addIf(!cluster.ready(), alarms, AlarmKind.CLUSTER, CRITICAL, cluster.message());
        addIf(!cluster.advice().isEmpty(), alarms, AlarmKind.PLACEMENT, WARNING, cluster.advice());
        cluster.members()
                .forEach(member -> MEMBER_ALARMS.forEach((state, kind) -> addIf(
                        member.state().equals(state.text()), alarms, kind, member.name(), WARNING, member.message())));
    }

    private void addIf(boolean isWrong, List<Alarm> alarms, AlarmKind kind, String level, String message) {
        addIf(isWrong, alarms, kind, "", level, message);
    }

    /** @param target the port or member that it is about; empty for the gateway as a whole */
    private void addIf(
            boolean isWrong, List<Alarm> alarms, AlarmKind kind, String target, String level, String message) {
        // Also if nothing is wrong, so that the next time begins anew. Of another level it is another alarm: whoever
        // has acknowledged a warning has not said that the critical one is known.
        Instant first = since.since("alarm %s %s".formatted(kind.text(), target), isWrong ? level : "good");
        if (isWrong) {
            alarms.add(Alarm.of(kind, level, target, first, message));
        }
    }
}
