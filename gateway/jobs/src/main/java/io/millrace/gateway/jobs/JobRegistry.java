package io.millrace.gateway.jobs;

import io.millrace.auth.policy.AccessPolicy;
import io.millrace.auth.policy.Principal;
import io.millrace.auth.policy.Right;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.gateway.jobs.request.InvalidJobException;
import io.millrace.gateway.jobs.request.JobKind;
import io.millrace.gateway.jobs.request.JobRequest;
import io.millrace.gateway.jobs.request.JobSpec;
import io.millrace.gateway.jobs.request.ObjectSelection;
import io.millrace.gateway.jobs.store.JobState;
import io.millrace.gateway.jobs.store.ObjectFailure;
import io.millrace.gateway.jobs.store.StoredJob;
import java.io.IOException;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The jobs that are remembered, and who may see them. Changed by the job thread; may be looked at by any. */
final class JobRegistry {
    private static final Logger log = LoggerFactory.getLogger(JobRegistry.class);

    private final AccessPolicy policy;
    private final long room;

    /** In the order of submission, which is that of their ids. */
    private final ConcurrentSkipListMap<String, Job> jobs = new ConcurrentSkipListMap<>();

    /** @param room bytes of memory that jobs may take, about */
    JobRegistry(AccessPolicy policy, long room) {
        this.policy = policy;
        this.room = room;
    }

    void add(Job job) {
        jobs.put(job.stored().id(), job);
    }

    /**
     * Sees to room for another job. Those that are over make way; those that are not may have one owner for half of it, so that nobody
     * keeps all others out.
     *
     * @param needed of those that are over
     * @throws JobException of kind FULL if there is none
     */
    void makeRoom(StoredJob another, Predicate<Job> needed) {
        long of = weight(
                job -> !isForgettable(job, needed) && job.stored().owner().equals(another.owner()));
        long all = weight(job -> !isForgettable(job, needed));
        if (of + another.weight() > room / 2 || all + another.weight() > room) {
            throw new JobException(
                    JobException.Kind.FULL,
                    "too much is waiting already: wait for jobs to end, or cancel some; many names go into a manifest");
        }
        forgetOldest(Integer.MAX_VALUE, room - another.weight(), needed);
    }

    void remove(Job job) {
        jobs.remove(job.stored().id());
    }

    /** In the order of submission. */
    Collection<Job> all() {
        return jobs.values();
    }

    /**
     * A job that somebody may see.
     *
     * @throws JobException of kind NO_SUCH_JOB
     */
    Job find(Principal who, String id) {
        Job job = jobs.get(id);
        if (job == null || !maySee(who, job)) {
            throw new JobException(JobException.Kind.NO_SUCH_JOB, "there is no such job");
        }
        return job;
    }

    /**
     * Jobs that somebody may see, the youngest first.
     *
     * @param before the id of the last one on the page before
     */
    List<Job> seenBy(Principal who, Optional<String> before, int most) {
        return (before.isPresent() ? jobs.headMap(before.get()) : jobs)
                .descendingMap().values().stream()
                        .filter(job -> maySee(who, job))
                        .limit(most)
                        .toList();
    }

    long count(JobState state) {
        return jobs.values().stream()
                .filter(job -> job.status().state() == state)
                .count();
    }

    /**
     * The job that somebody has submitted with the client token of this request.
     *
     * @throws JobException of kind CONFLICT if it is another one
     */
    Optional<Job> submittedBefore(Principal who, JobRequest request) {
        String token = request.clientToken();
        if (token == null) {
            return Optional.empty();
        }
        Optional<Job> same = jobs.values().stream()
                .filter(job -> job.stored().owner().equals(who.name())
                        && token.equals(job.stored().request().clientToken()))
                .findFirst();
        if (same.isPresent() && !same.get().stored().request().equals(request)) {
            throw new JobException(
                    JobException.Kind.CONFLICT,
                    "job %s has this clientToken and is another one: give each job its own"
                            .formatted(same.get().stored().id()));
        }
        return same;
    }

    /**
     * What failed in the job that this one is about; nothing if it is about something else.
     *
     * @throws JobException of kind NO_SUCH_JOB if there is none that {@code who} may see
     * @throws InvalidJobException if it is of another kind
     */
    List<ObjectFailure> failuresOf(Principal who, JobSpec spec) throws IOException {
        if (!(spec.from().source() instanceof ObjectSelection.Source.FailuresOf of)) {
            return List.of();
        }
        Job other = find(who, of.job());
        boolean isOfUrls = JobKind.DOWNLOAD
                .text()
                .equalsIgnoreCase(other.stored().request().kind());
        if (isOfUrls != (spec.kind() == JobKind.DOWNLOAD)) {
            throw new InvalidJobException(
                    "from.failuresOf", "is of another kind: what failed in a download are URLs, and in others objects");
        }
        return other.folder().failures();
    }

    /** Forgets the oldest of those that are over and not {@code needed}, but for so many. */
    void forgetOldest(int history, Predicate<Job> needed) {
        forgetOldest(history, room, needed);
    }

    private void forgetOldest(int history, long most, Predicate<Job> needed) {
        long weight = weight(job -> true);
        long over = jobs.values().stream().filter(JobRegistry::isOver).count();
        for (Job job : jobs.values()) {
            if (over <= history && weight <= most) {
                return;
            }
            if (!isForgettable(job, needed)) {
                continue;
            }
            over--;
            weight -= job.weight();
            remove(job);
            try {
                job.folder().delete();
            } catch (IOException e) {
                log.warn(
                        "Job {} is forgotten, but its folder stays: {}",
                        job.stored().id(),
                        e.toString());
            }
        }
    }

    private static boolean isForgettable(Job job, Predicate<Job> needed) {
        return isOver(job) && !needed.test(job);
    }

    private static boolean isOver(Job job) {
        return job.stored().state().isOver() && job.run() == null;
    }

    private long weight(Predicate<Job> which) {
        return jobs.values().stream().filter(which).mapToLong(Job::weight).sum();
    }

    private boolean maySee(Principal who, Job job) {
        return job.stored().owner().equals(who.name())
                || policy.allows(
                        who, Right.ADMIN, new BucketName(job.stored().request().bucket()), Optional.empty());
    }
}
