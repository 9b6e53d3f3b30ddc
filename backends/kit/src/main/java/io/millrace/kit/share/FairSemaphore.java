package io.millrace.kit.share;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.core.scheduler.Schedulers;

/**
 * A bound on what all callers do or hold at a time, such as blocks in memory. Further callers wait, and their parties
 * take turns. Where the number of those is bounded, no identity gets more than three times what is free, and neither
 * do all clients without one: of four permits or more, one whose work does not end holds three quarters at most.
 * Thread-safe; a caller may cancel at any moment.
 */
public final class FairSemaphore {
    /** The most permits of a group as a multiple of those that are free. */
    private static final int SHARE = 3;

    private final TurnQueue<Caller> waiting;
    private final Supplier<? extends Throwable> refusal;
    private final Executor turns;
    private final int permits;
    private final boolean isShared;

    /** The permits of each group that has some. */
    private final Map<Object, Integer> held = new HashMap<>();

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
        this.isShared = mostWaiting < Integer.MAX_VALUE;
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

    /** Does work that brings more than one thing when there is a permit, and gives that back likewise. */
    public <T> Flux<T> run(Party party, Flux<T> work) {
        return Flux.defer(() -> {
            Caller caller = new Caller(party);
            return Mono.defer(() -> enter(caller)).thenMany(work).doFinally(end -> leave(caller));
        });
    }

    /** Completes when the caller holds a permit. */
    private Mono<Void> enter(Caller caller) {
        synchronized (this) {
            if (caller.state == State.GONE) {
                return Mono.never();
            }
            if (mayHold(caller.party.group())) {
                take(caller);
                return Mono.empty();
            }
            if (waiting.offer(caller.party, caller)) {
                caller.state = State.WAITING;
                return caller.turn.asMono();
            }
        }
        return Mono.error(refusal.get());
    }

    private boolean mayHold(Object group) {
        int own = held.getOrDefault(group, 0);
        return free > 0 && (!isShared || own == 0 || own < SHARE * free);
    }

    private void take(Caller caller) {
        free--;
        held.merge(caller.party.group(), 1, Integer::sum);
        caller.state = State.HOLDING;
    }

    private void leave(Caller caller) {
        for (Caller next : removed(caller)) {
            turns.execute(next.turn::tryEmitEmpty);
        }
    }

    /** Takes away what a caller has; returns those that hold a permit from now on because it had one. */
    private synchronized List<Caller> removed(Caller caller) {
        State last = caller.state;
        caller.state = State.GONE;
        if (last == State.WAITING) {
            waiting.remove(caller.party, caller);
        }
        if (last != State.HOLDING) {
            return List.of();
        }
        free++;
        held.computeIfPresent(caller.party.group(), (same, own) -> own == 1 ? null : own - 1);
        List<Caller> next = new ArrayList<>();
        // One, or more if the permit is that of a group which had all that it may: it may have others then.
        for (Caller one = waiting.poll(this::mayHold); one != null; one = waiting.poll(this::mayHold)) {
            take(one);
            next.add(one);
        }
        return next;
    }
}
