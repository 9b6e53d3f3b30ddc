package io.millrace.gateway.jobs;

import io.millrace.auth.policy.AccessScope;
import io.millrace.auth.policy.Authorizer;
import io.millrace.auth.policy.Principal;
import io.millrace.auth.policy.Right;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.gateway.jobs.plan.InvalidJobException;
import io.millrace.gateway.jobs.plan.JobException;
import io.millrace.gateway.jobs.plan.ObjectSelection;
import io.millrace.gateway.jobs.plan.RawJobRequest;
import io.millrace.gateway.jobs.store.JobState;
import io.millrace.gateway.jobs.store.ObjectFailure;
import io.millrace.gateway.jobs.store.StoredJob;
import java.io.IOException;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Holds the jobs of this gateway in memory and decides who may see them. Only the job thread changes it; any thread may
 * read it.
 */
final class JobRegistry {
    private static final Logger log = LoggerFactory.getLogger(JobRegistry.class);

    private final Supplier<Authorizer> authorizer;
    private final long capacity;

    /** By id, which is in the order of submission. */
    private final ConcurrentSkipListMap<String, Job> jobs = new ConcurrentSkipListMap<>();

    /**
     * Creates a registry.
     *
     * @param capacity bytes of memory that jobs may take, about
     */
    JobRegistry(Supplier<Authorizer> authorizer, long capacity) {
        this.authorizer = authorizer;
        this.capacity = capacity;
    }

    void add(Job job) {
        jobs.put(job.stored().id(), job);
    }

    /**
     * Makes room for another job by forgetting ended ones. Active jobs of one owner may take half of the room, so that
     * no owner keeps all others out.
     *
     * @param needed ended jobs that must stay
     * @throws JobException of kind FULL if there is no room
     */
    void evictFor(StoredJob another, Predicate<Job> needed) {
        long own = weight(
                job -> !isForgettable(job, needed) && job.stored().owner().equals(another.owner()));
        long all = weight(job -> !isForgettable(job, needed));
        if (own + another.weight() > capacity / 2 || all + another.weight() > capacity) {
            throw new JobException(
                    JobException.Kind.FULL,
                    "jobs use all their memory: wait for some to end, or cancel some; put long lists into a manifest");
        }
        forgetOldest(Integer.MAX_VALUE, capacity - another.weight(), needed);
    }

    void remove(Job job) {
        jobs.remove(job.stored().id());
    }

    /** Returns all jobs in the order of submission. */
    Collection<Job> all() {
        return jobs.values();
    }

    /**
     * Returns a job that the caller may see.
     *
     * @throws JobException of kind NO_SUCH_JOB
     */
    Job find(Principal caller, String id) {
        Job job = jobs.get(id);
        if (job == null || !maySee(caller, job)) {
            throw new JobException(JobException.Kind.NO_SUCH_JOB, "there is no job " + id);
        }
        return job;
    }

    /**
     * Returns a job that the caller may change: its owner, or whoever operates its bucket.
     *
     * @throws JobException of kind NO_SUCH_JOB, or DENIED if the caller may only see it
     */
    Job findToChange(Principal caller, String id) {
        Job job = find(caller, id);
        if (!may(caller, Right.OPERATE, job)) {
            throw new JobException(
                    JobException.Kind.DENIED,
                    "job %s is another's: to change it needs the right operate on bucket %s"
                            .formatted(id, job.stored().request().bucket()));
        }
        return job;
    }

    /**
     * Returns jobs that the caller may see, the youngest first.
     *
     * @param wanted the states of these jobs
     * @param before the id of the last job of the previous page
     */
    List<JobStatus> seenBy(Principal caller, Predicate<JobState> wanted, Optional<String> before, int limit) {
        return (before.isPresent() ? jobs.headMap(before.get()) : jobs)
                .descendingMap().values().stream()
                        .filter(job -> maySee(caller, job))
                        .map(Job::status)
                        .filter(job -> wanted.test(job.state()))
                        .limit(limit)
                        .toList();
    }

    long count(JobState state) {
        return jobs.values().stream()
                .filter(job -> job.status().state() == state)
                .count();
    }

    /**
     * Returns the job that the caller has submitted with the client token of this request.
     *
     * @throws JobException of kind CONFLICT if that job has another request
     */
    Optional<Job> submittedBefore(Principal caller, RawJobRequest request) {
        String token = request.clientToken();
        if (token == null) {
            return Optional.empty();
        }
        Optional<Job> earlier = submittedWith(caller.name(), token);
        if (earlier.isPresent() && !earlier.get().stored().request().equals(request)) {
            throw new JobException(
                    JobException.Kind.CONFLICT,
                    "job %s has this clientToken and another request: use a new token for each job"
                            .formatted(earlier.get().stored().id()));
        }
        return earlier;
    }

    /** Returns the job that an owner has submitted with a client token. */
    Optional<Job> submittedWith(String owner, String token) {
        return jobs.values().stream()
                .filter(job -> job.stored().owner().equals(owner)
                        && token.equals(job.stored().request().clientToken()))
                .findFirst();
    }

    /** Returns the newest job that an owner has submitted with a client token of this beginning. */
    Optional<Job> latestWith(String owner, String tokenStart) {
        return jobs.descendingMap().values().stream()
                .filter(job -> {
                    String token = job.stored().request().clientToken();
                    return token != null
                            && token.startsWith(tokenStart)
                            && job.stored().owner().equals(owner);
                })
                .findFirst();
    }

    /**
     * Returns the failures of the job that this one retries; empty if it retries none.
     *
     * @throws JobException of kind NO_SUCH_JOB if the caller may see no such job
     * @throws InvalidJobException if one of the two jobs is of URLs and the other of objects, or what failed was to be
     *     made
     */
    List<ObjectFailure> failuresOf(Principal caller, JobContext another) throws IOException {
        if (!(another.spec().from().source() instanceof ObjectSelection.Source.FailuresOf retried)) {
            return List.of();
        }
        Job other = find(caller, retried.job());
        if (JobTypes.isOfUrls(other.stored().request()) != another.type().form().isOfUrls()) {
            throw new InvalidJobException(
                    "from.failuresOf",
                    "is of another kind: failures of downloads are URLs, those of other jobs are objects");
        }
        if (JobTypes.makesItems(other.stored().request())) {
            throw new InvalidJobException(
                    "from.failuresOf",
                    "is a pack, whose failures are shards, and not objects of its selection: retry it");
        }
        return other.folder().failures();
    }

    /** Forgets the oldest ended jobs that are not {@code needed}, until only {@code history} are left. */
    void forgetOldest(int history, Predicate<Job> needed) {
        forgetOldest(history, capacity, needed);
    }

    private void forgetOldest(int history, long limit, Predicate<Job> needed) {
        long weight = weight(job -> true);
        long over = jobs.values().stream().filter(JobRegistry::isOver).count();
        for (Job job : jobs.values()) {
            if (over <= history && weight <= limit) {
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
                        "Job {} is forgotten, but its folder cannot be deleted and may bring it back at the next "
                                + "start: {}",
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

    private long weight(Predicate<Job> filter) {
        return jobs.values().stream().filter(filter).mapToLong(Job::weight).sum();
    }

    private boolean maySee(Principal caller, Job job) {
        return maySee(caller, job.stored().owner(), job.stored().request());
    }

    /** The URLs of a download may be signed, so viewers and operators do not see those of others. */
    boolean maySee(Principal caller, String owner, RawJobRequest request) {
        return may(caller, JobTypes.isOfUrls(request) ? Right.ADMIN : Right.VIEW, owner, request);
    }

    private boolean may(Principal caller, Right right, Job job) {
        return may(caller, right, job.stored().owner(), job.stored().request());
    }

    private boolean may(Principal caller, Right right, String owner, RawJobRequest request) {
        BucketName bucket = new BucketName(request.bucket());
        return owner.equals(caller.name())
                || authorizer
                        .get()
                        .decide(caller, right.action(), AccessScope.bucket(bucket))
                        .isAllowed();
    }
}
