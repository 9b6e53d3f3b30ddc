package io.millrace.gateway.cluster;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/**
 * The announced writes that wait: each until every member has acknowledged it, or is waited for no longer and has
 * missed it. Guarded by the lock of its user, which {@link #changing} takes.
 */
final class WaitingWrites {
    /** How often it is looked for waits that are over. */
    private static final Duration LOOK = Duration.ofMillis(100);

    private final Map<String, PeerOutbox> outboxes;
    private final MissedBuckets missed;
    private final ReplicationRules rules;
    private final PeerClock clock;
    private final Object lock;
    private final Set<PendingWrite> waiting = new LinkedHashSet<>();

    /** What waits no longer, until the lock is free. */
    private final List<PendingWrite> over = new ArrayList<>();

    private long inVain;
    private boolean looking;

    /** @param outboxes by the names of members; changed by the user */
    WaitingWrites(
            Map<String, PeerOutbox> outboxes,
            MissedBuckets missed,
            ReplicationRules rules,
            PeerClock clock,
            Object lock) {
        this.outboxes = outboxes;
        this.missed = missed;
        this.rules = rules;
        this.clock = clock;
        this.lock = lock;
    }

    /** Changes the state under the lock, and completes the writes that are over when it is free again. */
    <T> T changing(Supplier<T> change) {
        List<PendingWrite> completed;
        T result;
        synchronized (lock) {
            result = change.get();
            if (!waiting.isEmpty() && !looking) {
                looking = true;
                clock.schedule(LOOK, this::look);
            }
            completed = List.copyOf(over);
            over.clear();
        }
        completed.forEach(write -> write.done.tryEmitEmpty());
        return result;
    }

    /** As {@link #changing}, without a result. */
    void change(Runnable change) {
        changing(() -> {
            change.run();
            return true;
        });
    }

    private void look() {
        change(() -> {
            looking = false;
            lookAtAll();
        });
    }

    /** Adds a write that was announced. */
    void add(PendingWrite write) {
        (isOver(write, write.announcedAt) ? over : waiting).add(write);
    }

    /** Looks at a write that a member has acknowledged. */
    void lookAt(PendingWrite write) {
        if (waiting.contains(write) && isOver(write, clock.nanoTime())) {
            waiting.remove(write);
            end(write);
        }
    }

    /** Looks at all, since somebody need not be waited for any more. */
    void lookAtAll() {
        long now = clock.nanoTime();
        for (Iterator<PendingWrite> writes = waiting.iterator(); writes.hasNext(); ) {
            PendingWrite write = writes.next();
            if (isOver(write, now)) {
                writes.remove();
                end(write);
            }
        }
    }

    private void end(PendingWrite write) {
        over.add(write);
        inVain += write.missed.isEmpty() ? 0 : 1;
    }

    /** Returns whether a write is waited for no longer; who has not acknowledged it has missed it then. */
    private boolean isOver(PendingWrite write, long now) {
        List<PeerOutbox> late = new ArrayList<>();
        for (Map.Entry<String, @Nullable SessionId> entry : write.unacknowledged.entrySet()) {
            PeerOutbox box = outboxes.get(entry.getKey());
            // A confirmed later session began with this write among what the member had missed.
            if (box == null || (box.session != null && box.confirmed && !box.session.equals(entry.getValue()))) {
                continue;
            }
            rules.pauseIfSlow(box, now);
            if (rules.waitNanos(box, write, now) > 0) {
                return false;
            }
            late.add(box);
        }
        for (PeerOutbox box : late) {
            write.missed.put(box.member, missed.miss(box.member, write.announcement.bucket()));
            if (box.session != null && rules.endsSession(box, now)) {
                missed.endSession(box);
            }
        }
        return true;
    }

    /** Returns how many have waited for a member in vain; those that no member was waited for with do not count. */
    long inVain() {
        return inVain;
    }

    /** Completes when none of those that wait now do. */
    Mono<Void> allOver() {
        return Mono.when(waiting.stream().map(write -> write.done.asMono()).toList());
    }
}
