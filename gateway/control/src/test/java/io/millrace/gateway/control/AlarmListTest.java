package io.millrace.gateway.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.gateway.control.Alarm.Acknowledgement;
import io.millrace.gateway.control.GatewayStatus.CacheUsage;
import io.millrace.gateway.control.GatewayStatus.DiskStatus;
import io.millrace.gateway.control.GatewayStatus.ReadCounts;
import io.millrace.gateway.control.GatewayStatus.ScrubStatus;
import io.millrace.gateway.jobs.JobStatus;
import io.millrace.gateway.jobs.store.JobProgress;
import io.millrace.gateway.jobs.store.JobState;
import io.millrace.gateway.jobs.store.ProgressReport;
import io.millrace.gateway.objects.monitor.BackendCallStatistics;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Tests the weight of alarms, how long each lasts, and what an acknowledgement holds for. */
class AlarmListTest {
    private static final Instant NOW = Instant.parse("2026-01-02T12:00:00Z");

    @Test
    void aDeadBackendComesBeforeTheMistakesOfUsers() {
        List<Alarm> alarms = AlarmList.of(
                status(List.of(alarm(AlarmKind.ACCESS_LOG, Alarm.WARNING), alarm(AlarmKind.REQUESTS, Alarm.CRITICAL))),
                List.of(backend("near", "answers", bucket("typo", "missing")), backend("far", "fails")),
                List.of(job("1", JobState.FAILED, ago(1))),
                NOW);

        assertThat(alarms)
                .extracting(Alarm::id)
                .containsExactly("backend:far", "requests", "access-log", "bucket:typo", "job:1");
        assertThat(alarms)
                .extracting(Alarm::level)
                .containsExactly("critical", "critical", "warning", "warning", "warning");
    }

    /** Credentials that may read their buckets and no more are what an operator should have. */
    @Test
    void credentialsThatMayNotListBucketsAreNoAlarm() {
        assertThat(AlarmList.of(status(List.of()), List.of(backend("far", "refuses")), List.of(), NOW))
                .isEmpty();
    }

    @Test
    void ofOneKindTheLatestComesFirst() {
        assertThat(AlarmList.of(
                        status(List.of()),
                        List.of(),
                        List.of(job("1", JobState.FAILED, ago(5)), job("2", JobState.DONE_WITH_FAILURES, ago(1))),
                        NOW))
                .extracting(Alarm::id)
                .containsExactly("job:2", "job:1");
    }

    @Test
    void failedJobsAreAlarmsForADayAndFewOfThemOneByOne() {
        List<JobStatus> jobs = IntStream.range(0, 9)
                .mapToObj(number -> job(String.valueOf(number), JobState.FAILED, ago(20 + number)))
                .toList();

        List<Alarm> alarms = AlarmList.of(status(List.of()), List.of(), jobs, NOW);

        // Those of 20 to 23 hours ago are of the last day.
        assertThat(alarms).extracting(Alarm::id).containsExactly("job:0", "job:1", "job:2", "job:3");
        List<JobStatus> six = IntStream.range(0, 6)
                .mapToObj(number -> job(String.valueOf(number), JobState.FAILED, ago(number)))
                .toList();
        assertThat(AlarmList.of(status(List.of()), List.of(), six, NOW))
                .last()
                .satisfies(rest -> assertThat(rest.message()).startsWith("1 more failed"));
    }

    @Test
    void aJobSaysWhatItIsAbout() {
        assertThat(AlarmList.of(status(List.of()), List.of(), List.of(job("1", JobState.FAILED, ago(1))), NOW))
                .singleElement()
                .satisfies(alarm -> {
                    assertThat(alarm.subject()).isEqualTo("Job prefetch s3://data/a/");
                    assertThat(alarm.message()).isEqualTo("no such bucket; submitted by alice.");
                    assertThat(alarm.target()).isEqualTo("1");
                });
    }

    @Test
    void aDiskIsAnAlarmWhileItIsSqueezedAndIfItIsSlowForHalfAnHour() {
        DiskStatus squeezed = disk("healthy", Optional.empty(), Optional.of(ago(1)));
        DiskStatus slow = disk("healthy", Optional.of(ago(1)), Optional.empty());
        DiskStatus justNow = disk("healthy", Optional.of(NOW.minusSeconds(60)), Optional.empty());

        assertThat(of(squeezed)).singleElement().satisfies(alarm -> {
            assertThat(alarm.id()).isEqualTo("disk-space:/cache");
            assertThat(alarm.message()).contains("120 MiB of the 2,048 MiB");
        });
        assertThat(of(slow)).extracting(Alarm::id).containsExactly("disk-slow:/cache");
        assertThat(of(justNow)).isEmpty();
        assertThat(of(disk("lost", Optional.empty(), Optional.empty())))
                .extracting(Alarm::id)
                .containsExactly("disk:/cache");
    }

    @Test
    void anAcknowledgementHoldsUntilTheAlarmComesAgain() {
        AlarmAcknowledgements known = new AlarmAcknowledgements();
        Alarm first = Alarm.of(AlarmKind.BACKEND, Alarm.CRITICAL, "far", "fails", ago(2), "");
        Alarm again = Alarm.of(AlarmKind.BACKEND, Alarm.CRITICAL, "far", "fails", ago(1), "");
        Acknowledgement word = new Acknowledgement("ops", NOW);

        known.add(first, word);

        assertThat(known.find(first)).contains(word);
        assertThat(known.find(again)).isEmpty();
    }

    @Test
    void anAlarmThatBeganAfterTheLookIsNotAcknowledged() {
        List<Alarm> now = List.of(Alarm.of(AlarmKind.BACKEND, Alarm.CRITICAL, "far", "fails", ago(1), ""));

        assertThat(AlarmsController.seen(now, "backend:far", ago(1))).isEqualTo(now.get(0));
        assertThatThrownBy(() -> AlarmsController.seen(now, "backend:far", ago(2)))
                .isInstanceOfSatisfying(
                        ApiException.class,
                        refused -> assertThat(refused.problem().status()).isEqualTo(409))
                .hasMessageContaining("The alarm backend:far that there is now began at 2026-01-02T11:00:00Z, not at"
                        + " 2026-01-02T10:00:00Z");
        assertThatThrownBy(() -> AlarmsController.seen(now, "backend:near", ago(1)))
                .isInstanceOfSatisfying(
                        ApiException.class,
                        refused -> assertThat(refused.problem().status()).isEqualTo(404));
    }

    @Test
    void acknowledgementsAreBounded() {
        AlarmAcknowledgements known = new AlarmAcknowledgements();
        IntStream.rangeClosed(0, AlarmAcknowledgements.MOST)
                .forEach(number -> known.add(bucketAlarm(number), new Acknowledgement("ops", NOW)));

        assertThat(known.find(bucketAlarm(0))).isEmpty();
        assertThat(known.find(bucketAlarm(1))).isPresent();
    }

    private static Alarm bucketAlarm(int number) {
        return Alarm.of(AlarmKind.BUCKET, Alarm.WARNING, "b" + number, "fails", ago(1), "");
    }

    private static List<Alarm> of(DiskStatus disk) {
        CacheUsage cache = new CacheUsage(0, 1, 1, 0, 0, List.of(disk), true, List.of());
        return AlarmList.of(status(List.of(), Optional.of(cache)), List.of(), List.of(), NOW);
    }

    private static Instant ago(int hours) {
        return NOW.minus(Duration.ofHours(hours));
    }

    private static GatewayStatus status(List<Alarm> alarms) {
        return status(alarms, Optional.empty());
    }

    private static GatewayStatus status(List<Alarm> alarms, Optional<CacheUsage> cache) {
        return new GatewayStatus(
                "1", Instant.EPOCH, 0, 0, alarms, List.of(), cache, new ReadCounts(0, 0, 0, 0), List.of());
    }

    private static Alarm alarm(AlarmKind kind, String level) {
        return Alarm.of(kind, level, "", ago(3), kind + " is wrong");
    }

    private static BackendStatus backend(String name, String state, BucketHealth... buckets) {
        return new BackendStatus(
                name,
                "s3",
                state,
                ago(2),
                "",
                NOW,
                BackendCallStatistics.NONE,
                Optional.empty(),
                Optional.empty(),
                List.of(buckets));
    }

    private static BucketHealth bucket(String name, String state) {
        return new BucketHealth(name, name, state, ago(1), "correct its name", Optional.empty());
    }

    private static DiskStatus disk(String state, Optional<Instant> slow, Optional<Instant> squeezed) {
        ScrubStatus scrub = new ScrubStatus(false, 0, Optional.empty(), 0, 0, 0, Optional.empty(), Optional.empty());
        return new DiskStatus(
                0, "/cache", state, ago(1), "", 2L << 30, 0, 120L << 20, 0, 0, 2.5, slow, squeezed, scrub);
    }

    private static JobStatus job(String id, JobState state, Instant ended) {
        return new JobStatus(
                id,
                "alice",
                ApiJobRequests.of("{'kind': 'prefetch', 'from': {'bucket': 'data', 'prefix': 'a/'}}"),
                state,
                "no such bucket",
                new ProgressReport(JobProgress.NONE, Optional.empty(), Optional.empty()),
                ended,
                Optional.of(ended),
                Optional.of(ended),
                0,
                List.of());
    }
}
