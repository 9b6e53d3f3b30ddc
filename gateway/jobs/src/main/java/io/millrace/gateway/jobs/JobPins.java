package io.millrace.gateway.jobs;

import io.millrace.auth.policy.Principal;
import io.millrace.cache.PinPredicate;
import io.millrace.gateway.jobs.plan.InvalidJobException;
import io.millrace.gateway.jobs.plan.JobSpec;
import io.millrace.gateway.jobs.store.JobState;
import io.millrace.gateway.jobs.store.StoredJob;
import io.millrace.gateway.objects.bucket.BucketRegistry;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Pins the objects of jobs in the cache, from submission until their {@code pin} runs out or the job is cancelled
 * or deleted, and those of other members' jobs while these pin them. Used by the job thread only.
 */
final class JobPins {
    /** Eviction tests each record of a victim segment against each pin. */
    private static final int MOST = 100;

    private static final int MOST_OF_ONE = 25;

    private final Supplier<BucketRegistry> buckets;
    private final Consumer<PinPredicate> cache;
    private final InstantSource clock;

    /** Parsed pins of jobs, by job id. */
    private final Map<String, Optional<PinSet.Pin>> parsed = new HashMap<>();

    private List<JobPin> ofOthers = List.of();

    /**
     * Creates the pins.
     *
     * @param cache receives the pinned objects at each change
     */
    JobPins(Supplier<BucketRegistry> buckets, Consumer<PinPredicate> cache, InstantSource clock) {
        this.buckets = buckets;
        this.cache = cache;
        this.clock = clock;
    }

    /**
     * Checks that another job may pin objects.
     *
     * @throws InvalidJobException if too many jobs pin objects already
     */
    void require(Principal owner, JobSpec spec, Collection<Job> others) {
        if (spec.pinnedUntil().isEmpty()) {
            return;
        }
        List<Job> pinning = others.stream().filter(this::isPinning).toList();
        long own = pinning.stream()
                .filter(job -> job.stored().owner().equals(owner.name()))
                .count();
        if (pinning.size() >= MOST || own >= MOST_OF_ONE) {
            throw new InvalidJobException(
                    "pin",
                    "is used by %d jobs already, %d of them yours; the limits are %d and %d: delete some of them"
                            .formatted(pinning.size(), own, MOST, MOST_OF_ONE));
        }
    }

    /** Returns true if the job pins objects, so that it must not be forgotten even after its end. */
    boolean isPinning(Job job) {
        return findPin(job).isPresent();
    }

    /**
     * Returns the jobs that pin objects.
     *
     * @param known ids of jobs whose requests the caller has
     * @param most how many other requests are returned
     */
    List<JobPin> pinning(Collection<Job> jobs, Set<String> known, int most) {
        List<JobPin> pinning = new ArrayList<>();
        int requests = 0;
        for (Job job : jobs) {
            StoredJob stored = job.stored();
            if (isPinning(job)) {
                boolean isNew = !known.contains(stored.id()) && requests < most;
                requests += isNew ? 1 : 0;
                pinning.add(new JobPin(
                        stored.id(), stored.submitted(), isNew ? Optional.of(stored.request()) : Optional.empty()));
            }
        }
        return pinning;
    }

    /**
     * Pins what jobs of other members pin, instead of what was pinned for them before.
     *
     * @param jobs those of this gateway
     */
    void follow(List<JobPin> others, Collection<Job> jobs) {
        ofOthers = List.copyOf(others);
        update(jobs);
    }

    /** Replaces the pins in the cache by those of the given jobs, and of other members. */
    void update(Collection<Job> jobs) {
        Stream<PinSet.Pin> own = jobs.stream().flatMap(job -> findPin(job).stream());
        Stream<PinSet.Pin> others = ofOthers.stream().flatMap(pin -> findPin(pin).stream());
        cache.accept(new PinSet(Stream.concat(own, others).toList(), clock));
        Stream<String> ids = Stream.concat(
                jobs.stream().map(job -> job.stored().id()), ofOthers.stream().map(JobPin::id));
        parsed.keySet().retainAll(ids.collect(Collectors.toSet()));
    }

    /** Finds the buckets of all pins again, because the settings have changed. */
    void refresh(Collection<Job> jobs) {
        parsed.clear();
        update(jobs);
    }

    private Optional<PinSet.Pin> findPin(Job job) {
        StoredJob stored = job.stored();
        if (stored.request().pin() == null || stored.state() == JobState.CANCELLED) {
            return Optional.empty();
        }
        return findPin(stored.id(), job::spec);
    }

    /** Of a job of another member, which has the same buckets. */
    private Optional<PinSet.Pin> findPin(JobPin other) {
        return other.request().flatMap(request -> findPin(other.id(), () -> JobTypes.read(request, other.submitted())));
    }

    private Optional<PinSet.Pin> findPin(String job, Supplier<JobSpec> request) {
        return parsed.computeIfAbsent(job, id -> pinOf(request))
                .filter(pin -> pin.until().isAfter(clock.instant()));
    }

    private Optional<PinSet.Pin> pinOf(Supplier<JobSpec> request) {
        try {
            JobSpec spec = request.get();
            return spec.dryRun() ? Optional.empty() : spec.pinnedUntil().flatMap(until -> createPin(spec, until));
        } catch (InvalidJobException e) {
            // The program that took the request could parse it, this one cannot.
            return Optional.empty();
        }
    }

    private Optional<PinSet.Pin> createPin(JobSpec spec, Instant until) {
        return buckets.get()
                .findAny(spec.from().bucket())
                .flatMap(bucket -> spec.from().names().map(names -> new PinSet.Pin(bucket, names, until)));
    }
}
