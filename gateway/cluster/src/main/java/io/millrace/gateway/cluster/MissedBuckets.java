package io.millrace.gateway.cluster;

import java.io.IOException;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import reactor.core.publisher.Mono;

/**
 * The buckets that each member has missed, and those in which this process writes. Of the former only what earlier
 * processes left needs to be durable: if this process is killed, the next one counts all buckets of the latter as
 * missed by everyone. Guarded by the lock of its user, except for {@link #begin}.
 */
final class MissedBuckets {
    /** The most buckets that a member has missed one by one, which fit into a message; beyond, it has missed all. */
    static final int MOST = 1000;

    /** The longest wait of the first write of a bucket for its record. */
    static final Duration LONGEST_RECORD = Duration.ofSeconds(1);

    private final Map<String, Map<BackendBucket, Long>> missed = new HashMap<>();
    private final Set<BackendBucket> begun = new HashSet<>();
    private final Set<BackendBucket> durablyBegun = ConcurrentHashMap.newKeySet();
    private final LatestValueWriter<MissedRecords> writer;
    private final ReplicationRules rules;
    private final PeerClock clock;
    private long numbers;

    /** Reads the record of the last process; if it did not stop cleanly, all members have missed what it wrote. */
    MissedBuckets(
            DurableValue<MissedRecords> store, Collection<String> members, ReplicationRules rules, PeerClock clock) {
        this.writer = new LatestValueWriter<>(store);
        this.rules = rules;
        this.clock = clock;
        MissedRecords before = store.read();
        before.missed().forEach((member, buckets) -> {
            if (members.contains(member)) {
                missed.put(member, new HashMap<>(buckets));
                buckets.values().forEach(number -> numbers = Math.max(numbers, number));
            }
        });
        members.forEach(this::add);
        members.forEach(member -> before.begun().forEach(bucket -> miss(member, bucket)));
    }

    /** Adds a member. One without a record has missed everything: it is new, or the record is lost. */
    void add(String member) {
        if (!missed.containsKey(member)) {
            missed.put(member, new HashMap<>());
            rules.recordNewMember(this, member);
        }
    }

    void remove(String member) {
        missed.remove(member);
    }

    /** Returns the buckets that a member has missed, with their numbers. */
    Map<BackendBucket, Long> of(String member) {
        return Map.copyOf(missed.getOrDefault(member, Map.of()));
    }

    /** Returns whether a member has missed a change of a bucket. */
    boolean isMissed(String member, BackendBucket bucket) {
        Map<BackendBucket, Long> buckets = missed.getOrDefault(member, Map.of());
        return buckets.containsKey(bucket) || buckets.containsKey(BackendBucket.EVERY);
    }

    /** Records that a member has missed a change of a bucket; returns the number of the record. */
    long miss(String member, BackendBucket bucket) {
        long number = ++numbers;
        Map<BackendBucket, Long> buckets = missed.getOrDefault(member, new HashMap<>());
        buckets.put(bucket, number);
        if (buckets.size() > MOST) {
            buckets.clear();
            buckets.put(BackendBucket.EVERY, number);
        }
        return number;
    }

    /** Strikes a bucket off, unless the member has missed another change of it since it learned of this number. */
    void strikeOff(String member, BackendBucket bucket, long number) {
        Map<BackendBucket, Long> buckets = missed.getOrDefault(member, new HashMap<>());
        Long now = buckets.get(bucket);
        if (now != null && rules.isSameNumber(now, number)) {
            buckets.remove(bucket);
        }
    }

    /** Ends the session of a member, which has missed what it has not applied, or perhaps not durably. */
    void endSession(PeerOutbox box) {
        rules.endSession(this, box);
        box.end();
    }

    /**
     * Completes when the record durably has that this process writes in a bucket; without a wait if it has. Beyond
     * {@link #MOST} buckets, which need not exist, it has that this process writes in every one. Fails if the disk
     * takes longer than {@link #LONGEST_RECORD}. Thread-safe.
     */
    Mono<Void> begin(BackendBucket bucket, Object lock) {
        if (durablyBegun.contains(bucket) || durablyBegun.contains(BackendBucket.EVERY)) {
            return Mono.empty();
        }
        return Mono.defer(() -> {
            BackendBucket recorded;
            Mono<Void> written;
            synchronized (lock) {
                recorded = begun.size() < MOST || begun.contains(bucket) ? bucket : BackendBucket.EVERY;
                begun.add(recorded);
                written = writer.write(records());
            }
            return Mono.firstWithSignal(written.doOnSuccess(done -> durablyBegun.add(recorded)), late());
        });
    }

    private Mono<Void> late() {
        return Mono.<Void>create(sink -> clock.schedule(LONGEST_RECORD, sink::success))
                .then(Mono.error(() -> new IOException("the cluster's file was not written within " + LONGEST_RECORD)));
    }

    /** Makes the record durable. */
    Mono<Void> write() {
        return writer.write(records());
    }

    /** Makes the record of a clean stop durable. */
    Mono<Void> stop() {
        begun.clear();
        durablyBegun.clear();
        return write();
    }

    private MissedRecords records() {
        return new MissedRecords(
                missed.entrySet().stream()
                        .collect(
                                Collectors.toUnmodifiableMap(Map.Entry::getKey, entry -> Map.copyOf(entry.getValue()))),
                Set.copyOf(begun));
    }
}
