package io.millrace.gateway.jobs;

import io.millrace.auth.policy.Principal;
import io.millrace.cache.PinnedObjects;
import io.millrace.gateway.jobs.request.InvalidJobException;
import io.millrace.gateway.jobs.request.JobRequestParser;
import io.millrace.gateway.jobs.request.JobSpec;
import io.millrace.gateway.jobs.store.JobState;
import io.millrace.gateway.jobs.store.StoredJob;
import io.millrace.gateway.objects.bucket.BucketRegistry;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/** Tells the cache what jobs keep in it: from their submission to the end of their time, or until they are cancelled or deleted. Belongs to the job thread. */
final class JobPins {
    /** Each is asked for each record of a segment that goes. */
    private static final int MOST = 100;

    private static final int MOST_OF_ONE = 25;

    private final BucketRegistry buckets;
    private final Consumer<PinnedObjects> cache;
    private final InstantSource clock;

    /** What requests say, by their jobs' ids; understood once. */
    private final Map<String, Optional<PinSet.Keep>> understood = new HashMap<>();

    /** @param cache told what stays */
    JobPins(BucketRegistry buckets, Consumer<PinnedObjects> cache, InstantSource clock) {
        this.buckets = buckets;
        this.cache = cache;
        this.clock = clock;
    }

    /**
     * Looks whether another job may keep something.
     *
     * @throws InvalidJobException if too many do
     */
    void require(Principal who, JobSpec spec, Collection<Job> others) {
        if (spec.keptUntil().isEmpty()) {
            return;
        }
        List<Job> keeping = others.stream().filter(this::isKeeping).toList();
        long own = keeping.stream()
                .filter(job -> job.stored().owner().equals(who.name()))
                .count();
        if (keeping.size() >= MOST || own >= MOST_OF_ONE) {
            throw new InvalidJobException(
                    "keep",
                    "is asked for by %d jobs already, %d of them yours, of %d and %d: delete those that need not"
                            .formatted(keeping.size(), own, MOST, MOST_OF_ONE));
        }
    }

    /** Whether a job that is over must be remembered for what it keeps. */
    boolean isKeeping(Job job) {
        return keep(job).isPresent();
    }

    /** From now on the cache keeps what these jobs say. */
    void update(Collection<Job> jobs) {
        cache.accept(new PinSet(jobs.stream().flatMap(job -> keep(job).stream()).toList(), clock));
        understood
                .keySet()
                .retainAll(jobs.stream().map(job -> job.stored().id()).collect(Collectors.toSet()));
    }

    private Optional<PinSet.Keep> keep(Job job) {
        StoredJob stored = job.stored();
        if (stored.request().keep() == null || stored.state() == JobState.CANCELLED) {
            return Optional.empty();
        }
        return understood
                .computeIfAbsent(stored.id(), id -> understand(stored))
                .filter(keep -> keep.until().isAfter(clock.instant()));
    }

    private Optional<PinSet.Keep> understand(StoredJob stored) {
        try {
            JobSpec spec = JobRequestParser.read(stored.request(), stored.submitted());
            return spec.dryRun() ? Optional.empty() : spec.keptUntil().flatMap(until -> keep(spec, until));
        } catch (InvalidJobException e) {
            // It was written by a program that took it.
            return Optional.empty();
        }
    }

    private Optional<PinSet.Keep> keep(JobSpec spec, Instant until) {
        return buckets.findAny(spec.from().bucket())
                .flatMap(bucket -> spec.from().names().map(names -> new PinSet.Keep(bucket, names, until)));
    }
}
