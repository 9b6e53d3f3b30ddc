package io.millrace.gateway.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.millrace.gateway.control.ClusterView.MemberState;
import io.millrace.gateway.control.ClusterView.MemberView;
import io.millrace.gateway.objects.monitor.ErrorHistory;
import io.millrace.gateway.objects.monitor.TrafficBreakdown;
import io.millrace.gateway.objects.monitor.TrafficDimension;
import io.millrace.gateway.objects.monitor.TrafficHistorySource;
import io.millrace.gateway.objects.monitor.TrafficPoint;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests that what wakes somebody by the alert rules is an alarm of the status too, since when it is. */
class AlarmCollectorTest {
    private static final Instant START = Instant.parse("2026-01-01T01:00:00Z");

    private Instant now = START;
    private boolean isMetadataUsable = true;
    private boolean isAuditFailing;
    private boolean isAccessLogFailing;
    private long refusedConnections;
    private final Map<String, Boolean> transforms = new TreeMap<>();
    private final List<CertificateState> certificates = new ArrayList<>();
    private Optional<ClusterView> cluster = Optional.empty();
    private final List<TrafficPoint> points = new ArrayList<>();

    @Test
    void aHealthyGatewayHasNoAlarm() {
        certificates.add(new CertificateState("s3", START.plus(Duration.ofDays(8)), false));
        points.add(point(1000, 50));

        assertThat(alarms(true).get()).isEmpty();
    }

    @Test
    void anUnusableMetadataStoreIsAnAlarmSinceItWasFirstSeen() {
        AlarmCollector alarms = alarms(true);
        assertThat(alarms.get()).isEmpty();
        isMetadataUsable = false;
        assertThat(alarms.get()).extracting(Alarm::kind).containsExactly("metadata-store");
        now = START.plus(Duration.ofHours(2));

        assertThat(alarms.get())
                .extracting(Alarm::kind, Alarm::level, Alarm::since)
                .containsExactly(tuple("metadata-store", "critical", START));
        isMetadataUsable = true;
        assertThat(alarms.get()).isEmpty();
        isMetadataUsable = false;
        assertThat(alarms.get()).extracting(Alarm::since).containsExactly(now);
    }

    @ParameterizedTest
    @CsvSource({"true, critical, refused", "false, warning, without a record"})
    void aFailingAuditLogSaysWhatBecomesOfRequests(boolean refuses, String level, String consequence) {
        isAuditFailing = true;

        Alarm alarm = alarms(refuses).get().get(0);

        assertThat(alarm.kind()).isEqualTo("audit-log");
        assertThat(alarm.level()).isEqualTo(level);
        assertThat(alarm.message()).contains(consequence);
    }

    @Test
    void certificatesThatExpireOrCannotBeReloadedAreAlarms() {
        certificates.add(new CertificateState("s3", START.plus(Duration.ofHours(23)), true));
        certificates.add(new CertificateState("admin", START.plus(Duration.ofDays(6)), false));

        assertThat(alarms(true).get())
                .extracting(Alarm::id, Alarm::level)
                .containsExactly(
                        tuple("certificate:s3", "critical"),
                        tuple("certificate-reload:s3", "warning"),
                        tuple("certificate:admin", "warning"));
        now = START.plus(Duration.ofDays(7));
        assertThat(alarms(true).get()).last().satisfies(alarm -> {
            assertThat(alarm.level()).isEqualTo("critical");
            assertThat(alarm.message()).startsWith("The certificate of admin.tls has expired at 2026-01-07T01:00:00Z");
        });
    }

    /** An acknowledgement holds for an id and the time since when: one of the warning is none of the critical alarm. */
    @Test
    void aWarningThatBecomesCriticalIsANewAlarm() {
        certificates.add(new CertificateState("s3", START.plus(Duration.ofDays(6)), false));
        AlarmCollector alarms = alarms(true);
        assertThat(alarms.get())
                .extracting(Alarm::id, Alarm::level, Alarm::since)
                .containsExactly(tuple("certificate:s3", "warning", START));
        now = START.plus(Duration.ofDays(4));
        assertThat(alarms.get()).extracting(Alarm::since).containsExactly(START);

        now = START.plus(Duration.ofDays(5)).plusSeconds(1);

        Instant critical = now;
        assertThat(alarms.get())
                .extracting(Alarm::id, Alarm::level, Alarm::since)
                .containsExactly(tuple("certificate:s3", "critical", critical));
        now = START.plus(Duration.ofDays(7));
        assertThat(alarms.get()).extracting(Alarm::since).containsExactly(critical);
    }

    @ParameterizedTest
    @CsvSource({"1000, 51, true", "1000, 50, false", "30, 30, false", "31, 31, true"})
    void aHighShareOfFailedRequestsIsAnAlarm(long requests, long errors, boolean isAlarm) {
        points.add(point(requests, errors));
        points.add(point(0, 0));

        assertThat(alarms(true).get()).hasSize(isAlarm ? 1 : 0).allSatisfy(alarm -> {
            assertThat(alarm.kind()).isEqualTo("requests");
            assertThat(alarm.level()).isEqualTo("critical");
        });
    }

    @Test
    void anAccessLogThatCannotBeWrittenIsAnAlarm() {
        isAccessLogFailing = true;

        assertThat(alarms(true).get())
                .extracting(Alarm::kind, Alarm::level)
                .containsExactly(tuple("access-log", "warning"));
    }

    @Test
    void refusedConnectionsAreAnAlarmUntilFiveMinutesHavePassed() {
        AlarmCollector alarms = alarms(true);
        assertThat(alarms.get()).isEmpty();
        refusedConnections = 3;
        assertThat(alarms.get())
                .extracting(Alarm::kind, Alarm::level, Alarm::since)
                .containsExactly(tuple("connections", "warning", START));
        now = START.plus(Duration.ofMinutes(4));
        assertThat(alarms.get()).hasSize(1);
        now = START.plus(Duration.ofMinutes(6));

        assertThat(alarms.get()).isEmpty();
    }

    @Test
    void transformsWithFailingServicesAreAlarmsUntilTheyWork() {
        AlarmCollector alarms = alarms(true);
        transforms.put("decode", false);
        transforms.put("thumb", true);
        assertThat(alarms.get())
                .extracting(Alarm::id, Alarm::level, Alarm::subject, Alarm::state)
                .containsExactly(tuple("transform:thumb", "warning", "Transform thumb", "fails"));

        transforms.put("thumb", false);

        assertThat(alarms.get()).isEmpty();
    }

    @Test
    void membersThatAreAwayOrDisagreeAreAlarmsUntilTheyAreHeard() {
        AlarmCollector alarms = alarms(true);
        cluster = Optional.of(new ClusterView(
                "test",
                "gw-0",
                false,
                false,
                "shared",
                Optional.of(100.0),
                Optional.of(0L),
                "not confirmed",
                "",
                List.of(
                        member("gw-1", MemberState.AWAY),
                        member("gw-2", MemberState.LISTS_DIFFER),
                        member("gw-3", MemberState.REFUSES),
                        member("gw-4", MemberState.PAUSED))));
        assertThat(alarms.get())
                .extracting(Alarm::id, Alarm::level, Alarm::message)
                .containsExactlyInAnyOrder(
                        tuple("cluster", "critical", "not confirmed"),
                        tuple("member-away:gw-1", "warning", "what to do about gw-1"),
                        tuple("member-list:gw-2", "warning", "what to do about gw-2"),
                        tuple("member-refuses:gw-3", "warning", "what to do about gw-3"));

        cluster = Optional.of(well(""));

        assertThat(alarms.get()).isEmpty();
    }

    @Test
    void placementThatDoesNotFitTheBalancerIsAWarning() {
        cluster = Optional.of(well("write another placement"));

        assertThat(alarms(true).get())
                .extracting(Alarm::id, Alarm::level, Alarm::message)
                .containsExactly(tuple("placement", "warning", "write another placement"));
    }

    private static ClusterView well(String advice) {
        return new ClusterView(
                "test",
                "gw-0",
                true,
                true,
                "shared",
                Optional.of(50.0),
                Optional.of(0L),
                "",
                advice,
                List.of(member("gw-1", MemberState.HEARD)));
    }

    private static MemberView member(String name, MemberState state) {
        return new MemberView(
                name,
                name + ":7800",
                state.text(),
                true,
                true,
                Optional.of(1L),
                0,
                0,
                Optional.of(50.0),
                Optional.of(0L),
                Optional.of(0L),
                "what to do about " + name);
    }

    private AlarmCollector alarms(boolean auditRefuses) {
        return new AlarmCollector(
                new AlarmSources(
                        () -> isMetadataUsable,
                        () -> isAuditFailing,
                        auditRefuses,
                        () -> isAccessLogFailing,
                        () -> refusedConnections,
                        () -> transforms,
                        () -> certificates,
                        () -> cluster,
                        new FakeTraffic()),
                new StateClock(() -> now),
                () -> now);
    }

    private static TrafficPoint point(long requests, long errors) {
        return new TrafficPoint(
                START, 10_000, requests, errors, 0, 0, 0, 0, 0, 0, 0, 0, OptionalLong.empty(), OptionalLong.empty());
    }

    private final class FakeTraffic implements TrafficHistorySource {
        @Override
        public List<TrafficPoint> last(Duration length) {
            assertThat(length).isEqualTo(Duration.ofMinutes(5));
            return points;
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
