package io.millrace.gateway.cluster;

import io.millrace.cache.WriteFence;
import java.time.Duration;

/**
 * The rules by which a write waits for a member, and by which a member has missed it. Each stands for itself: the
 * simulation takes every one of them away, and must notice.
 */
class ReplicationRules {
    /** The longest wait of a write for a member that is heard, whatever its leases are. */
    static final Duration LONGEST_WAIT = Duration.ofSeconds(1);

    /** The delay from which on an acknowledgement is late. */
    private static final long LATE = Duration.ofMillis(250).toNanos();

    /** The most that late acknowledgements take in all, one after another, until nobody waits for more of them. */
    private static final long LATE_IN_ALL = Duration.ofSeconds(3).toNanos();

    /** The time for which the last late one counts: a member that is heard again is soon waited for again. */
    private static final long LATE_REMEMBERED = Duration.ofSeconds(3).toNanos();

    private static final Duration LONGEST_OFFER = Duration.ofSeconds(2);

    private static final long FIRST_PAUSE = Duration.ofSeconds(10).toNanos();
    private static final long LONGEST_PAUSE = Duration.ofMinutes(1).toNanos();
    private static final long PAUSES_FORGIVEN = Duration.ofMinutes(2).toNanos();

    final LeaseTerms terms;

    ReplicationRules(LeaseTerms terms) {
        this.terms = terms;
    }

    /**
     * Returns when a member may have been granted its last lease by an earlier process of this one: just before this
     * one started. If that one's leases were longer, it is as if this one granted its own so much later.
     */
    long grantedAtStart(long now) {
        return now + terms.expiryAtStart().minus(terms.expiry()).toNanos();
    }

    /** Records what a member without a record has missed: everything, since nothing is known of it. */
    void recordNewMember(MissedBuckets missed, String member) {
        missed.miss(member, BackendBucket.EVERY);
    }

    /** Returns whether a record of a missed bucket is the one that the member has learned of: a later one stays. */
    boolean isSameNumber(long recorded, long learned) {
        return recorded == learned;
    }

    /**
     * Records an announcement for a member without a session: now and not when its wait is over, so that a session
     * that begins lists it.
     */
    void announceWithoutSession(MissedBuckets missed, PeerOutbox box, Announcement announcement) {
        missed.miss(box.member, announcement.bucket());
    }

    /**
     * Returns how much longer a write waits for a member: until it can hold no lease, or, if merely announced, for a
     * second at most, and not for one that is away or always late.
     */
    long waitNanos(PeerOutbox box, PendingWrite write, long now) {
        if (write.strong) {
            return box.grantedAt + terms.expiry().toNanos() - now;
        }
        boolean heard = box.session != null && box.confirmed && !isSilent(box, now) && !isLate(box, now);
        return heard ? write.announcedAt + LONGEST_WAIT.toNanos() - now : 0;
    }

    /** Returns whether a member has left an announcement unacknowledged for too long. */
    boolean isSilent(PeerOutbox box, long now) {
        return box.isWaitingSince(now - LONGEST_WAIT.toNanos());
    }

    /** Notes how long a member took to acknowledge announcements. */
    void noteDelay(PeerOutbox box, long delay, long now) {
        long before = isRemembered(box, now) ? box.lateNanos : 0;
        box.lateNanos = delay < LATE ? 0 : before + delay;
        box.lateAt = now;
    }

    /** Returns whether the last acknowledgement still counts: one that rarely has any to give is not always late. */
    private static boolean isRemembered(PeerOutbox box, long now) {
        return now - box.lateAt <= LATE_REMEMBERED;
    }

    /** Returns whether a member acknowledges everything, but always so late that one writer would wait without end. */
    boolean isLate(PeerOutbox box, long now) {
        return box.lateNanos >= LATE_IN_ALL && isRemembered(box, now);
    }

    /**
     * Pauses a silent or late member, so that it does not make each write wait: for longer each time it happens again
     * soon.
     */
    void pauseIfSlow(PeerOutbox box, long now) {
        if ((isSilent(box, now) || isLate(box, now)) && !isWithinPause(box, now)) {
            boolean again = box.pauseNanos > 0 && now - box.pausedAt <= PAUSES_FORGIVEN;
            box.pauseNanos = again ? Math.min(2 * box.pauseNanos, LONGEST_PAUSE) : FIRST_PAUSE;
            box.pausedAt = now;
        }
    }

    /** Returns whether a member gets no lease. It gets its session and missed buckets all the same. */
    boolean isWithoutGrant(PeerOutbox box, long now) {
        return isWithinPause(box, now) || isSilent(box, now);
    }

    private static boolean isWithinPause(PeerOutbox box, long now) {
        return box.pauseLeft(now) > 0;
    }

    /** Records what a member has missed when its session ends: also what it has applied, but perhaps not durably. */
    void endSession(MissedBuckets missed, PeerOutbox box) {
        box.owed().forEach(bucket -> missed.miss(box.member, bucket));
    }

    /**
     * Returns whether a session that is not confirmed is offered again: not to another process, which lacks what the
     * first one may have applied.
     */
    boolean isOfferedAgain(PeerOutbox box, long process, long now) {
        return box.session != null
                && !box.confirmed
                && box.memberProcess == process
                && now - box.sessionBeganAt <= LONGEST_OFFER.toNanos();
    }

    /**
     * Returns whether the session of a member that was not waited for ends: not if it merely is slow. Announcements for
     * a member that is away are kept no longer than that.
     */
    boolean endsSession(PeerOutbox box, long now) {
        return isWithoutLease(box, now) && isSilent(box, now);
    }

    /** Returns whether a member can hold no lease: it has asked for none for long, or is paused. */
    boolean isWithoutLease(PeerOutbox box, long now) {
        return now - box.grantedAt >= terms.expiry().toNanos();
    }

    /**
     * Returns whether the goodbye of a process ends the lease of a member: not one that was granted to the next process
     * before the goodbye came.
     */
    boolean endsLease(PeerOutbox box, long process) {
        return box.granted && box.grantedTo == process;
    }

    /** Strikes a missed bucket off whose announcement is acknowledged after all: the session has it now. */
    void acknowledgeLate(MissedBuckets missed, PeerOutbox box, PendingWrite write, long number) {
        missed.strikeOff(box.member, write.announcement.bucket(), number);
    }

    /** Returns after what time a write without an outcome is announced again, because it can no longer take effect. */
    Duration repetition() {
        return WriteFence.UNANSWERED_WRITE;
    }
}
