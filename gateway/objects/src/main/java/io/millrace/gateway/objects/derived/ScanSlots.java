package io.millrace.gateway.objects.derived;

import io.millrace.kit.share.Party;
import io.millrace.kit.share.TurnQueue;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import reactor.core.publisher.MonoSink;
import reactor.core.scheduler.Schedulers;

/**
 * Runs a bounded number of scans at a time. Others wait, and their parties take turns. For scans that nobody cancels.
 * Thread-safe.
 */
final class ScanSlots {
    private final int most;
    private final TurnQueue<Waiting> waiting;
    private int free;

    /** A scan that waits; no two are equal. */
    private static final class Waiting {
        private final MonoSink<Boolean> turn;

        Waiting(MonoSink<Boolean> turn) {
            this.turn = turn;
        }
    }

    /**
     * @param most the scans at a time
     * @param mostWaiting the most that wait, as {@link TurnQueue} counts them
     */
    ScanSlots(int most, int mostWaiting) {
        this.most = most;
        free = most;
        waiting = new TurnQueue<>(mostWaiting);
    }

    /** Returns how many scans run. */
    synchronized int running() {
        return most - free;
    }

    /** Returns how many scans wait. */
    synchronized int waiting() {
        return waiting.size();
    }

    /** Runs a scan when it has its turn; fails if too many wait. */
    <T> Mono<T> run(Party party, Mono<T> scan) {
        return Mono.<Boolean>create(sink -> acquire(party, sink)).flatMap(granted -> scan.doFinally(end -> release()));
    }

    private void acquire(Party party, MonoSink<Boolean> turn) {
        boolean isFree;
        boolean isRefused = false;
        synchronized (this) {
            isFree = free > 0;
            if (isFree) {
                free--;
            } else {
                isRefused = !waiting.offer(party, new Waiting(turn));
            }
        }
        if (isFree) {
            turn.success(true);
        } else if (isRefused) {
            turn.error(ArchiveFailures.tooManyScans());
        }
    }

    private void release() {
        @Nullable Waiting next;
        synchronized (this) {
            next = waiting.poll();
            if (next == null) {
                free++;
            }
        }
        if (next != null) {
            MonoSink<Boolean> turn = next.turn;
            // Not in the call stack of the scan that has ended, which may be an event loop's.
            Schedulers.parallel().schedule(() -> turn.success(true));
        }
    }
}
