package io.millrace.gateway.jobs.progress;

import io.millrace.gateway.jobs.plan.PlanItem;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * How far a plan is done: all before the mark has ended, and of what comes behind it some has. Used by one thread at a time.
 */
public final class LowWatermark {
    /** Objects behind the mark, under way or ended, until no more are taken: some megabytes of keys at most. */
    static final int WINDOW = 10_000;

    private final Deque<Position> window = new ArrayDeque<>();

    /** What ended before a restart though others before it had not. */
    private final Set<String> endedBefore;

    /** Whether there was a run before this one, which may have been interrupted in the middle of an object. */
    private final boolean resumed;

    private @Nullable String position;
    private int entered;

    /** An object of the plan, in its place. */
    public static final class Position {
        private final PlanItem item;
        private final boolean doubtful;
        private boolean ended;

        private Position(PlanItem item, boolean doubtful) {
            this.item = item;
            this.doubtful = doubtful;
        }

        public PlanItem item() {
            return item;
        }

        /** Whether it may have been done before a restart. */
        public boolean isDoubtful() {
            return doubtful;
        }
    }

    /**
     * @param position where the plan goes on; null at its beginning
     * @param endedBefore what has ended behind that
     * @param resumed whether there was a run before
     */
    public LowWatermark(@Nullable String position, Collection<String> endedBefore, boolean resumed) {
        this.position = position;
        this.resumed = resumed;
        this.endedBefore = new HashSet<>(endedBefore);
    }

    /** Whether so many objects are behind the mark that the next has to wait. */
    public boolean isFull() {
        return window.size() >= WINDOW;
    }

    /** Takes the next object of the plan; null if it has ended before a restart. */
    @Nullable public Position enter(PlanItem item) {
        // No more than a window was under way.
        Position place = new Position(item, resumed && ++entered <= WINDOW);
        window.add(place);
        if (endedBefore.remove(item.identity())) {
            end(place);
            return null;
        }
        return place;
    }

    /** An object has ended: the mark moves over all that have. */
    public void end(Position place) {
        place.ended = true;
        while (!window.isEmpty() && window.peek().ended) {
            position = window.remove().item().position();
        }
    }

    /** Where the plan goes on; null at its beginning. */
    @Nullable public String position() {
        return position;
    }

    /** What has ended behind the mark. */
    public List<String> beyond() {
        List<String> beyond = new ArrayList<>(endedBefore);
        window.stream()
                .filter(place -> place.ended)
                .forEach(place -> beyond.add(place.item().identity()));
        return beyond;
    }
}
