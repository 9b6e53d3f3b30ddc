package io.millrace.gateway.control;

import static io.millrace.gateway.control.Alarm.CRITICAL;
import static io.millrace.gateway.control.Alarm.WARNING;

import io.millrace.gateway.control.GatewayStatus.CacheUsage;
import io.millrace.gateway.control.GatewayStatus.DiskStatus;
import io.millrace.gateway.jobs.JobStatus;
import io.millrace.gateway.jobs.plan.RawJobRequest;
import io.millrace.gateway.jobs.store.JobState;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Lists the alarms of the gateway, its disks, backends, buckets and jobs, the weightiest first. */
final class AlarmList {
    /** The time for which corrupt records and failed jobs are alarms: long enough to be seen. */
    static final Duration SEEN_FOR = Duration.ofDays(1);

    /** As of the alert of a slow disk. */
    static final Duration SLOW_FOR = Duration.ofMinutes(30);

    /** The most jobs with an alarm each; one more counts the rest. */
    static final int MOST_JOBS = 5;

    private static final Map<String, String> BACKEND_STATES =
            Map.of("rejects", "rejects the credentials", "fails", "fails");
    private static final Map<String, String> BUCKET_STATES =
            Map.of("missing", "is missing", "refuses", "denies access", "fails", "fails");
    private static final Map<String, String> DISK_STATES = Map.of(
            "recovering",
            "recovering",
            "full",
            "full",
            "paused",
            "writes paused",
            "failing",
            "failing",
            "lost",
            "lost");

    private static final Comparator<Alarm> WEIGHTIEST_FIRST = Comparator.comparing(
                    (Alarm alarm) -> !alarm.level().equals(CRITICAL))
            .thenComparing(alarm -> AlarmKind.of(alarm.kind()).orElse(AlarmKind.JOB))
            .thenComparing(Alarm::since, Comparator.reverseOrder());

    private final Instant now;
    private final List<Alarm> alarms = new ArrayList<>();

    private AlarmList(Instant now) {
        this.now = now;
    }

    /** Returns whether a job in this state may be an alarm. */
    static boolean isFailed(JobState state) {
        return state == JobState.FAILED || state == JobState.DONE_WITH_FAILURES;
    }

    /**
     * Returns the alarms, of one kind the latest first.
     *
     * @param jobs the {@linkplain #isFailed failed} ones, the newest first
     */
    static List<Alarm> of(GatewayStatus status, List<BackendStatus> backends, List<JobStatus> jobs, Instant now) {
        AlarmList list = new AlarmList(now);
        list.alarms.addAll(status.alarms());
        status.cache().map(CacheUsage::disks).orElse(List.of()).forEach(list::addOfDisk);
        backends.forEach(list::addOfBackend);
        list.addOfJobs(jobs);
        return list.alarms.stream().sorted(WEIGHTIEST_FIRST).toList();
    }

    private void addOfDisk(DiskStatus disk) {
        Optional.ofNullable(DISK_STATES.get(disk.state()))
                .ifPresent(state -> add(
                        AlarmKind.DISK,
                        WARNING,
                        disk.path(),
                        state,
                        disk.since(),
                        disk.why().isEmpty() ? "Reads bypass what is not available." : disk.why()));
        disk.squeezedSince()
                .ifPresent(since -> add(
                        AlarmKind.DISK_SPACE,
                        disk.path(),
                        since,
                        ("Other files on its file system leave the cache %,d MiB of the %,d MiB that cache.disks gives"
                                        + " it. Make room, or give it less.")
                                .formatted(disk.available() >> 20, disk.size() >> 20)));
        disk.scrub()
                .lastBad()
                .filter(this::isOfTheLastDay)
                .ifPresent(last -> add(
                        AlarmKind.DISK_CORRUPT,
                        disk.path(),
                        last,
                        "The scrub has dropped corrupt records since the start, %,d in all."
                                .formatted(disk.scrub().bad())));
        disk.slowSince()
                .filter(since -> Duration.between(since, now).compareTo(SLOW_FOR) >= 0)
                .ifPresent(since -> add(
                        AlarmKind.DISK_SLOW,
                        disk.path(),
                        since,
                        String.format(
                                Locale.ROOT,
                                "Its reads take %.1f times as long as fetches from the backend, so hits are slower than"
                                        + " misses.",
                                disk.slowness())));
    }

    private void addOfBackend(BackendStatus backend) {
        String state = BACKEND_STATES.get(backend.state());
        if (state != null) {
            add(AlarmKind.BACKEND, CRITICAL, backend.name(), state, backend.since(), backend.message());
        } else {
            backend.errorsSince()
                    .ifPresent(since -> add(
                            AlarmKind.BACKEND_ERRORS,
                            backend.name(),
                            since,
                            "Errors in calls of the last minute: %,d of %,d."
                                    .formatted(
                                            backend.lastMinute().errors(),
                                            backend.lastMinute().calls())));
        }
        backend.buckets()
                .forEach(bucket -> Optional.ofNullable(BUCKET_STATES.get(bucket.state()))
                        .ifPresent(words -> add(
                                AlarmKind.BUCKET, WARNING, bucket.bucket(), words, bucket.since(), bucket.message())));
    }

    private void addOfJobs(List<JobStatus> jobs) {
        List<JobStatus> lately =
                jobs.stream().filter(job -> isOfTheLastDay(ended(job))).toList();
        lately.stream().limit(MOST_JOBS).forEach(this::addOfJob);
        if (lately.size() > MOST_JOBS) {
            String message =
                    "%,d more failed in the last day; millrace jobs lists them.".formatted(lately.size() - MOST_JOBS);
            add(AlarmKind.JOB, WARNING, "", "failed", ended(lately.get(MOST_JOBS)), message);
        }
    }

    private void addOfJob(JobStatus job) {
        long failed = job.progress().failed();
        String message = "%s%s by %s."
                .formatted(
                        job.message().isEmpty() ? "" : job.message() + "; ",
                        failed == 0
                                ? "submitted"
                                : failed == 1 ? "1 failed object," : "%,d failed objects,".formatted(failed),
                        job.owner());
        alarms.add(Alarm.of(AlarmKind.JOB, WARNING, job.id(), job.state().text().replace('-', ' '), ended(job), message)
                .withSubject("Job %s %s".formatted(job.request().kind(), words(job))));
    }

    /** Returns what a job is about: its source and target, or its id. */
    private static String words(JobStatus job) {
        RawJobRequest.From from = job.request().from();
        RawJobRequest.To to = job.request().to();
        if (from == null || from.bucket() == null) {
            return job.id();
        }
        String source = s3(from.bucket(), from.prefix());
        return to == null ? source : source + " → " + s3(to.bucket(), to.prefix());
    }

    private static String s3(@Nullable String bucket, @Nullable String prefix) {
        return "s3://%s/%s".formatted(bucket == null ? "" : bucket, prefix == null ? "" : prefix);
    }

    private static Instant ended(JobStatus job) {
        return job.ended().orElse(job.submitted());
    }

    private boolean isOfTheLastDay(Instant time) {
        return Duration.between(time, now).compareTo(SEEN_FOR) < 0;
    }

    private void add(AlarmKind kind, String target, Instant since, String message) {
        alarms.add(Alarm.of(kind, WARNING, target, since, message));
    }

    private void add(AlarmKind kind, String level, String target, String state, Instant since, String message) {
        alarms.add(Alarm.of(kind, level, target, state, since, message));
    }
}
