package io.millrace.gateway.job;

import io.millrace.gateway.job.plan.Item;
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
final class Mark {
    /** Objects behind the mark, under way or ended, until no more are taken: some megabytes of keys at most. */
    static final int WINDOW = 10_000;

    private final Deque<Place> window = new ArrayDeque<>();

    /** What ended before a restart though others before it had not. */
    private final Set<String> endedBefore;

    /** Whether there was a run before this one, which may have been interrupted in the middle of an object. */
    private final boolean resumed;

    private @Nullable String position;
    private int entered;

    /** An object of the plan, in its place. */
    static final class Place {
        private final Item item;
        private final boolean doubtful;
        private boolean ended;

        private Place(Item item, boolean doubtful) {
            this.item = item;
            this.doubtful = doubtful;
        }

        Item item() {
            return item;
        }

        /** Whether it may have been done before a restart. */
        boolean isDoubtful() {
            return doubtful;
        }
    }

    /**
     * @param position where the plan goes on; null at its beginning
     * @param endedBefore what has ended behind that
     * @param resumed whether there was a run before
     */
    Mark(@Nullable String position, Collection<String> endedBefore, boolean resumed) {
        this.position = position;
        this.resumed = resumed;
        this.endedBefore = new HashSet<>(endedBefore);
    }

    /** Whether so many objects are behind the mark that the next has to wait. */
    boolean isFull() {
        return window.size() >= WINDOW;
    }

    /** Takes the next object of the plan; null if it has ended before a restart. */
    @Nullable Place enter(Item item) {
        // No more than a window was under way.
        Place place = new Place(item, resumed && ++entered <= WINDOW);
        window.add(place);
        if (endedBefore.remove(item.identity())) {
            end(place);
            return null;
        }
        return place;
    }

    /** An object has ended: the mark moves over all that have. */
    void end(Place place) {
        place.ended = true;
        while (!window.isEmpty() && window.peek().ended) {
            position = window.remove().item().position();
        }
    }

    /** Where the plan goes on; null at its beginning. */
    @Nullable String position() {
        return position;
    }

    /** What has ended behind the mark. */
    List<String> beyond() {
        List<String> beyond = new ArrayList<>(endedBefore);
        window.stream()
                .filter(place -> place.ended)
                .forEach(place -> beyond.add(place.item().identity()));
        return beyond;
    }
}
