package io.millrace.gateway.cluster;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The announcements of one session of another member, as far as they are applied, and the lease that rests on them.
 * Guarded by the lock of {@link PeerLeases}.
 */
final class PeerInbox {
    /** A time before all others. */
    static final long NEVER = Long.MIN_VALUE;

    /** Null before the first session. */
    final @Nullable SessionId session;

    /** The number up to which announcements are applied. */
    long applied;

    /** The number up to which what they deleted is durable. */
    long durable;

    boolean applying;
    boolean syncing;

    /** Whether the member has another process by now, so that this one cannot say goodbye. */
    boolean superseded;

    /** The missed buckets that are durably invalidated, with the numbers under which this member learned of them. */
    final Map<BackendBucket, Long> invalidated = new HashMap<>();

    private long grantedUntil = NEVER;
    private long grantedAfter;
    private long heldUntil = NEVER;

    PeerInbox(@Nullable SessionId session) {
        this.session = session;
    }

    /** Takes a grant, which counts once all announcements up to a number are applied. */
    void grant(long until, long announced) {
        grantedUntil = until;
        grantedAfter = announced;
        takeGrant();
    }

    void applied(long last) {
        applied = Math.max(applied, last);
        takeGrant();
    }

    private void takeGrant() {
        if (applied >= grantedAfter) {
            heldUntil = Math.max(heldUntil, grantedUntil);
        }
    }

    /** A part of {@link ClusterStatus.Member}. */
    record Status(boolean confirmed, boolean session, boolean leaseHeld) {}

    /** Returns whether a lease that was held has run out, for each once. */
    boolean hasRunOut(long now) {
        boolean isOver = heldUntil != NEVER && now >= heldUntil;
        if (isOver) {
            grantedUntil = grantedUntil > heldUntil ? grantedUntil : NEVER;
            heldUntil = NEVER;
        }
        return isOver;
    }

    void giveUp() {
        grantedUntil = NEVER;
        heldUntil = NEVER;
    }

    /** Returns when the lease ends; {@link #NEVER} if there is none. */
    long heldUntil() {
        return heldUntil;
    }
}
