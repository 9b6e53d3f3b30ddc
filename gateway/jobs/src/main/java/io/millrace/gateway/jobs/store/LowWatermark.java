package io.millrace.gateway.jobs.store;

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
 * Tracks how far a job has come in its list of objects: the position before which all are done, and those done after
 * it. Used by one thread at a time.
 */
public final class LowWatermark {
    /** The most objects above the watermark, under way or ended; bounds their keys to some megabytes. */
    public static final int WINDOW = 10_000;

    private final Deque<Position> window = new ArrayDeque<>();

    /** Objects beyond the watermark that had ended before a restart. */
    private final Set<String> endedBefore;

    private @Nullable String position;
    private int doubtful;

    /** An object of the plan between its start and its end. */
    public static final class Position {
        private final PlanItem item;
        private final boolean mayBeDone;
        private boolean ended;

        private Position(PlanItem item, boolean mayBeDone) {
            this.item = item;
            this.mayBeDone = mayBeDone;
        }

        public PlanItem item() {
            return item;
        }

        /** Returns true if an earlier run may have processed the object. */
        public boolean isDoubtful() {
            return mayBeDone;
        }
    }

    /**
     * Creates a watermark.
     *
     * @param position at which the plan continues; null at its beginning
     * @param endedBefore objects beyond that position that have ended
     * @param doubtful the next objects that an earlier run may have processed without recording it
     */
    public LowWatermark(@Nullable String position, Collection<String> endedBefore, int doubtful) {
        this.position = position;
        this.doubtful = doubtful;
        this.endedBefore = new HashSet<>(endedBefore);
    }

    /** Returns true if the next object has to wait for the watermark. */
    public boolean isFull() {
        return window.size() >= WINDOW;
    }

    /** Adds the next object of the plan; returns null if it had ended before a restart. */
    @Nullable public Position enter(PlanItem item) {
        Position place = new Position(item, doubtful > 0);
        window.add(place);
        if (endedBefore.remove(item.identity())) {
            end(place);
            return null;
        }
        doubtful = Math.max(0, doubtful - 1);
        return place;
    }

    /** Marks an object as ended and advances the watermark over all ended objects. */
    public void end(Position place) {
        place.ended = true;
        while (!window.isEmpty() && window.peek().ended) {
            position = window.remove().item().position();
        }
    }

    /** Returns the position at which the plan continues; null at its beginning. */
    @Nullable public String position() {
        return position;
    }

    /** Returns the ended objects beyond the watermark. */
    public List<String> beyond() {
        List<String> beyond = new ArrayList<>(endedBefore);
        window.stream()
                .filter(place -> place.ended)
                .forEach(place -> beyond.add(place.item().identity()));
        return beyond;
    }
}
