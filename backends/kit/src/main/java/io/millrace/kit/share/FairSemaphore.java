package io.millrace.kit.share;

import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.core.scheduler.Schedulers;

/**
 * A bound on what all callers do or hold at a time, such as blocks in memory. Further callers wait, and their parties
 * take turns. Thread-safe; a caller may cancel at any moment.
 */
public final class FairSemaphore {
    private final TurnQueue<Caller> waiting;
    private final Supplier<? extends Throwable> refusal;
    private final Executor turns;
    private final int permits;
    private int free;

    /** The relation of a caller to the permits. Under the lock only, so that no permit is lost or given twice. */
    private enum State {
        NEW,
        WAITING,
        HOLDING,
        GONE
    }

    /** A caller, from its subscription until it ends; no two are equal. */
    private static final class Caller {
        private final Party party;
        private final Sinks.Empty<Void> turn = Sinks.empty();
        private State state = State.NEW;

        Caller(Party party) {
            this.party = party;
        }
    }

    /** Lets any number wait: for callers that something else bounds. */
    public FairSemaphore(int permits) {
        this(permits, Integer.MAX_VALUE, () -> new IllegalStateException("too many wait"));
    }

    /**
     * @param mostWaiting the most that wait, as {@link TurnQueue} counts them
     * @param refusal creates the failure of those beyond it
     */
    public FairSemaphore(int permits, int mostWaiting, Supplier<? extends Throwable> refusal) {
        this(permits, mostWaiting, refusal, turn -> Schedulers.parallel().schedule(turn));
    }

    /**
     * @param turns begins the work of those that have waited. Never in the call stack of whoever gave the permit back:
     *     that may be an event loop's
     */
    FairSemaphore(int permits, int mostWaiting, Supplier<? extends Throwable> refusal, Executor turns) {
        this.permits = permits;
        this.free = permits;
        this.waiting = new TurnQueue<>(mostWaiting);
        this.refusal = refusal;
        this.turns = turns;
    }

    /** Returns the number of permits that are held. */
    public synchronized int running() {
        return permits - free;
    }

    /** Returns the number of callers that wait. */
    public synchronized int waiting() {
        return waiting.size();
    }

    /** Does work when there is a permit, and gives that back when the work ends, fails or is cancelled. */
    public <T> Mono<T> run(Party party, Mono<T> work) {
        return Mono.defer(() -> {
            Caller caller = new Caller(party);
            return Mono.defer(() -> enter(caller)).then(work).doFinally(end -> leave(caller));
        });
    }

    /** Completes when the caller holds a permit. */
    private Mono<Void> enter(Caller caller) {
        synchronized (this) {
            if (caller.state == State.GONE) {
                return Mono.never();
            }
            if (free > 0) {
                free--;
                caller.state = State.HOLDING;
                return Mono.empty();
            }
            if (waiting.offer(caller.party, caller)) {
                caller.state = State.WAITING;
                return caller.turn.asMono();
            }
        }
        return Mono.error(refusal.get());
    }

    private void leave(Caller caller) {
        @Nullable Caller next = removed(caller);
        if (next != null) {
            turns.execute(next.turn::tryEmitEmpty);
        }
    }

    /** Takes away what a caller has; returns the one that holds its permit from now on, if it had one. */
    private synchronized @Nullable Caller removed(Caller caller) {
        State last = caller.state;
        caller.state = State.GONE;
        if (last == State.WAITING) {
            waiting.remove(caller.party, caller);
        }
        if (last != State.HOLDING) {
            return null;
        }
        @Nullable Caller next = waiting.poll();
        if (next == null) {
            free++;
        } else {
            next.state = State.HOLDING;
        }
        return next;
    }
}
