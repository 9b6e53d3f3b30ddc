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

    private @Nullable String position;

    /** An object of the plan, in its place. */
    static final class Place {
        private final Item item;
        private boolean ended;

        private Place(Item item) {
            this.item = item;
        }

        Item item() {
            return item;
        }
    }

    /**
     * @param position where the plan goes on; null at its beginning
     * @param endedBefore what has ended behind that
     */
    Mark(@Nullable String position, Collection<String> endedBefore) {
        this.position = position;
        this.endedBefore = new HashSet<>(endedBefore);
    }

    /** Whether so many objects are behind the mark that the next has to wait. */
    boolean isFull() {
        return window.size() >= WINDOW;
    }

    /** Takes the next object of the plan; null if it has ended before a restart. */
    @Nullable Place enter(Item item) {
        Place place = new Place(item);
        window.add(place);
        if (endedBefore.remove(item.key().value())) {
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
                .forEach(place -> beyond.add(place.item().key().value()));
        return beyond;
    }
}
