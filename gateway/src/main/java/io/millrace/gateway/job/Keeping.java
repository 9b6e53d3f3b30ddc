package io.millrace.gateway.job;

import io.millrace.cache.KeptObjects;
import io.millrace.gateway.bucket.Buckets;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/** Tells the cache what jobs keep in it: from their submission to the end of their time, or until they are cancelled or deleted. */
final class Keeping {
    /** Each is asked for each record of a segment that goes. */
    private static final int MOST = 100;

    private final Buckets buckets;
    private final Consumer<KeptObjects> cache;
    private final InstantSource clock;

    /** @param cache told what stays */
    Keeping(Buckets buckets, Consumer<KeptObjects> cache, InstantSource clock) {
        this.buckets = buckets;
        this.cache = cache;
        this.clock = clock;
    }

    /**
     * Looks whether another job may keep something.
     *
     * @throws InvalidJobException if too many do
     */
    void require(JobSpec spec, Collection<Job> others) {
        if (spec.keptUntil().isPresent() && kept(others).size() >= MOST) {
            throw new InvalidJobException(
                    "keep", "is asked for by %d jobs already: delete those that need not".formatted(MOST));
        }
    }

    /** Whether a job that is over must be remembered for what it keeps. */
    boolean isKeeping(Job job) {
        return keep(job).isPresent();
    }

    /** From now on the cache keeps what these jobs say. */
    void update(Collection<Job> jobs) {
        cache.accept(new Keeps(kept(jobs), clock));
    }

    private List<Keeps.Keep> kept(Collection<Job> jobs) {
        return jobs.stream().flatMap(job -> keep(job).stream()).toList();
    }

    private Optional<Keeps.Keep> keep(Job job) {
        StoredJob stored = job.stored();
        if (stored.request().keep() == null || stored.state() == JobState.CANCELLED) {
            return Optional.empty();
        }
        try {
            JobSpec spec = JobReader.read(stored.request(), stored.submitted());
            return spec.dryRun()
                    ? Optional.empty()
                    : spec.keptUntil()
                            .filter(until -> until.isAfter(clock.instant()))
                            .flatMap(until -> keep(spec, until));
        } catch (InvalidJobException e) {
            // It was written by a program that took it.
            return Optional.empty();
        }
    }

    private Optional<Keeps.Keep> keep(JobSpec spec, Instant until) {
        return buckets.findAny(spec.from().bucket())
                .flatMap(bucket -> spec.from().names().map(names -> new Keeps.Keep(bucket, names, until)));
    }
}
