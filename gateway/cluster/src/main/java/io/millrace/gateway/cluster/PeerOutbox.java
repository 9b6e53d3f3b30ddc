package io.millrace.gateway.cluster;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The state of this member towards another one: its session, announcements, and grants. Guarded by the lock of {@link
 * AnnouncedWrites}.
 */
final class PeerOutbox {
    /** The most announcements in one batch. */
    private static final int MOST_IN_BATCH = 1000;

    /** The most characters of unacknowledged announcements; a member that lets more wait has missed them. */
    static final int MOST_CHARACTERS = 32 << 20;

    final String member;

    /** Null while there is none. */
    @Nullable SessionId session;

    /** Whether the member has the session. */
    boolean confirmed;

    long sessionBeganAt;

    /** The process of the member that the session was made for. */
    long memberProcess;

    /** The time of the last grant of the lease, by this process if {@link #granted}; else perhaps a time to come. */
    long grantedAt;

    boolean granted;

    /** The process of the member to which it was granted. */
    long grantedTo;

    /** The number of the last announcement. */
    long announced;

    /** The sum of the delays of late acknowledgements since the last one in time. */
    long lateNanos;

    /** The time of the last acknowledgement. */
    long lateAt;

    /** The time at which the last pause began. */
    long pausedAt;

    /** The length of the last pause; 0 if there was none. */
    long pauseNanos;

    /** Identifies the batch that is under way; 0 if none is. */
    long sending;

    /** When the last batch was sent. */
    long sentAt;

    /** Whether a timer will look for a batch that is late. */
    boolean watched;

    private final NavigableMap<Long, PendingWrite> unacknowledged = new TreeMap<>();
    private long characters;

    /** The last announcement of each bucket that the member has not made durable. */
    private final Map<BackendBucket, Long> notDurable = new HashMap<>();

    PeerOutbox(String member, long grantedAt) {
        this.member = member;
        this.grantedAt = grantedAt;
    }

    void begin(SessionId next, long process, long now) {
        session = next;
        memberProcess = process;
        sessionBeganAt = now;
    }

    /** Ends the session; {@link #owed} says before what the member has missed then. */
    void end() {
        session = null;
        confirmed = false;
        announced = 0;
        sending = 0;
        unacknowledged.clear();
        characters = 0;
        notDurable.clear();
    }

    void add(PendingWrite write) {
        announced++;
        unacknowledged.put(announced, write);
        characters += write.characters;
        notDurable.put(write.announcement.bucket(), announced);
    }

    /** Removes what the member has applied, up to a number; returns it. */
    List<PendingWrite> acknowledge(long last) {
        Collection<PendingWrite> applied = unacknowledged.headMap(last, true).values();
        List<PendingWrite> writes = List.copyOf(applied);
        applied.clear();
        writes.forEach(write -> characters -= write.characters);
        return writes;
    }

    /** Removes the deletions that are durable at the member, up to a number. */
    void durable(long last) {
        notDurable.values().removeIf(number -> number <= last);
    }

    /** Returns the buckets of what the member has not acknowledged, or not durably. */
    Set<BackendBucket> owed() {
        Set<BackendBucket> buckets = new HashSet<>(notDurable.keySet());
        unacknowledged.values().forEach(write -> buckets.add(write.announcement.bucket()));
        return buckets;
    }

    boolean isFull() {
        return characters > MOST_CHARACTERS;
    }

    boolean isAcknowledged() {
        return unacknowledged.isEmpty();
    }

    /** Returns whether an announcement from before this time is unacknowledged. */
    boolean isWaitingSince(long time) {
        return unacknowledged.values().stream()
                .findFirst()
                .filter(oldest -> oldest.announcedAt - time < 0)
                .isPresent();
    }

    /** Returns how much longer the member is paused; 0 if it is not. */
    long pauseLeft(long now) {
        return pauseNanos == 0 ? 0 : Math.max(0, pauseNanos - (now - pausedAt));
    }

    /** Returns what to send next, as much as fits into a message. */
    AnnouncementBatch batch(String self, SessionId of) {
        List<Announcement> next = new ArrayList<>();
        int characters = 0;
        for (PendingWrite write : unacknowledged.values()) {
            characters += write.characters;
            if (!next.isEmpty() && (characters > PeerCodec.MOST_CHARACTERS || next.size() == MOST_IN_BATCH)) {
                break;
            }
            next.add(write.announcement);
        }
        return new AnnouncementBatch(self, of, unacknowledged.firstKey(), next);
    }

    Status status(long now, int missed) {
        return new Status(
                session != null && confirmed,
                unacknowledged.size(),
                granted ? Optional.of(Duration.ofNanos(now - grantedAt)) : Optional.empty(),
                Duration.ofNanos(pauseLeft(now)),
                missed);
    }

    /** A part of {@link ClusterStatus.Member}. */
    record Status(boolean announcing, int unacknowledged, Optional<Duration> granted, Duration paused, int missed) {}
}
