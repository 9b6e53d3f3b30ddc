package io.millrace.gateway.cluster;

import io.millrace.gateway.objects.bucket.Coherence;
import java.time.Duration;
import java.util.Collection;
import java.util.function.BooleanSupplier;
import java.util.function.Function;

/** The rules of replication without one of them. */
public final class AlteredRules extends ReplicationRules {
    private final Lack lack;
    private final Duration repetition;

    /** The rule that is lacking. */
    public enum Lack {
        NONE,
        LEASES_OF_THE_LAST_PROCESS,
        EVERYTHING_FOR_NEW_MEMBERS,
        NUMBERS_OF_MISSED_BUCKETS,
        MISSED_AT_ONCE,
        LONGER_THAN_A_LEASE,
        LEASES_OF_STRONG_BUCKETS,
        UNHEARD_MEMBERS_ARE_NOT_WAITED_FOR,
        PAUSES,
        DURABLE_DELETIONS,
        SESSIONS_OF_ONE_PROCESS,
        LATE_ACKNOWLEDGEMENTS,
        LATENESS,
        GOODBYES,
        PROCESSES_OF_GOODBYES,
        REPETITION
    }

    public AlteredRules(Lack lack, LeaseTerms terms, Duration repetition) {
        super(terms);
        this.lack = lack;
        this.repetition = repetition;
    }

    /** Creates announcements under these rules. */
    public AnnouncedWrites writes(
            String self,
            long process,
            Collection<String> members,
            Function<BackendBucket, Coherence> coherence,
            BooleanSupplier ready,
            PeerNet net,
            PeerClock clock,
            DurableValue<MissedRecords> store) {
        return new AnnouncedWrites(self, process, members, this, coherence, ready, net, clock, store);
    }

    @Override
    long grantedAtStart(long now) {
        return lack == Lack.LEASES_OF_THE_LAST_PROCESS
                ? now - Duration.ofHours(1).toNanos()
                : super.grantedAtStart(now);
    }

    @Override
    void recordNewMember(MissedBuckets missed, String member) {
        if (lack != Lack.EVERYTHING_FOR_NEW_MEMBERS) {
            super.recordNewMember(missed, member);
        }
    }

    @Override
    boolean isSameNumber(long recorded, long learned) {
        return lack == Lack.NUMBERS_OF_MISSED_BUCKETS || super.isSameNumber(recorded, learned);
    }

    @Override
    void announceWithoutSession(MissedBuckets missed, PeerOutbox box, Announcement announcement) {
        if (lack != Lack.MISSED_AT_ONCE) {
            super.announceWithoutSession(missed, box, announcement);
        }
    }

    @Override
    long waitNanos(PeerOutbox box, PendingWrite write, long now) {
        if (lack == Lack.LEASES_OF_STRONG_BUCKETS
                || (lack == Lack.UNHEARD_MEMBERS_ARE_NOT_WAITED_FOR && !write.strong)) {
            return write.announcedAt + LONGEST_WAIT.toNanos() - now;
        }
        if (lack == Lack.LONGER_THAN_A_LEASE && write.strong) {
            return box.grantedAt + terms.lease().multipliedBy(4).dividedBy(5).toNanos() - now;
        }
        return super.waitNanos(box, write, now);
    }

    @Override
    boolean isLate(PeerOutbox box, long now) {
        return lack != Lack.LATENESS && super.isLate(box, now);
    }

    @Override
    boolean isWithoutGrant(PeerOutbox box, long now) {
        return lack != Lack.PAUSES && super.isWithoutGrant(box, now);
    }

    @Override
    void endSession(MissedBuckets missed, PeerOutbox box) {
        if (lack == Lack.DURABLE_DELETIONS) {
            box.durable(Long.MAX_VALUE);
        }
        super.endSession(missed, box);
    }

    @Override
    boolean isOfferedAgain(PeerOutbox box, long process, long now) {
        return super.isOfferedAgain(box, lack == Lack.SESSIONS_OF_ONE_PROCESS ? box.memberProcess : process, now);
    }

    @Override
    boolean endsSession(PeerOutbox box, long now) {
        return lack == Lack.LATE_ACKNOWLEDGEMENTS
                ? now - box.grantedAt >= terms.expiry().toNanos()
                : super.endsSession(box, now);
    }

    @Override
    boolean endsLease(PeerOutbox box, long process) {
        return lack == Lack.PROCESSES_OF_GOODBYES || (lack != Lack.GOODBYES && super.endsLease(box, process));
    }

    @Override
    void acknowledgeLate(MissedBuckets missed, PeerOutbox box, PendingWrite write, long number) {
        if (lack != Lack.LATE_ACKNOWLEDGEMENTS) {
            super.acknowledgeLate(missed, box, write, number);
        }
    }

    @Override
    Duration repetition() {
        return lack == Lack.REPETITION ? Duration.ofDays(1) : repetition;
    }
}
