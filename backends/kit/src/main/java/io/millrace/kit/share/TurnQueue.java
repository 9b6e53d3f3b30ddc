package io.millrace.kit.share;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A queue in which parties take turns, so that one who waits for thousands of things costs another one turn. Those of
 * one party are in order. Clients without an identity have one turn together, which their addresses take in turn. An
 * operation takes constant time, unless it says otherwise. Not thread-safe.
 *
 * @param <E> what waits; no two are equal
 */
public final class TurnQueue<E> {
    private final int max;
    private final Map<Object, Group<E>> groups = new LinkedHashMap<>();
    private int size;

    /** The queues of the parties that have one turn together, by name in the order of their turns. */
    private static final class Group<E> {
        final Map<String, Set<E>> queues = new LinkedHashMap<>();
        int size;

        /** @param most of all together; an address that has its turn with others fills half of that at most */
        boolean isFull(Party party, int most) {
            @Nullable Set<E> own = queues.get(party.name());
            int mostOfOne = party.kind() == Party.Kind.ANONYMOUS ? most - most / 2 : most;
            return size >= most || (own != null && own.size() >= mostOfOne);
        }
    }

    /**
     * @param max the most that may wait; one identity, or the clients without one together, get half of it at most, and
     *     one of their addresses a quarter
     */
    public TurnQueue(int max) {
        this.max = max;
    }

    /** Returns the number of those that wait. */
    public int size() {
        return size;
    }

    public boolean isEmpty() {
        return size == 0;
    }

    /** Adds one at the end of its party's queue; returns false if there are too many, of all or of this party. */
    public boolean offer(Party party, E waiting) {
        Object key = party.group();
        @Nullable Group<E> known = groups.get(key);
        if (size >= max || (known != null && known.isFull(party, max - max / 2))) {
            return false;
        }
        Group<E> group = known == null ? new Group<>() : known;
        if (!group.queues
                .computeIfAbsent(party.name(), one -> new LinkedHashSet<>())
                .add(waiting)) {
            throw new IllegalStateException("it waits already");
        }
        groups.putIfAbsent(key, group);
        group.size++;
        size++;
        return true;
    }

    /** Returns the one whose turn it is; null if none waits. */
    public @Nullable E peek() {
        return size == 0 ? null : first(first(first(groups.values()).queues.values()));
    }

    /** Removes the one whose turn it is; null if none waits. */
    public @Nullable E poll() {
        return poll(group -> true);
    }

    /**
     * Removes the one whose turn it is of those that may have one now; null if none waits. Takes the longer, the more
     * may not.
     *
     * @param mayHave whether a {@linkplain Party#group group} may have a turn
     */
    public @Nullable E poll(Predicate<Object> mayHave) {
        for (Map.Entry<Object, Group<E>> turn : groups.entrySet()) {
            if (mayHave.test(turn.getKey())) {
                return polled(turn.getKey(), turn.getValue());
            }
        }
        return null;
    }

    private E polled(Object key, Group<E> group) {
        Map.Entry<String, Set<E>> queue = first(group.queues.entrySet());
        String party = queue.getKey();
        Set<E> waiting = queue.getValue();
        E next = first(waiting);
        waiting.remove(next);
        group.size--;
        size--;
        moveToTheEnd(group.queues, party, waiting, waiting.isEmpty());
        moveToTheEnd(groups, key, group, group.size == 0);
        return next;
    }

    private static <K, V> void moveToTheEnd(Map<K, V> order, K key, V value, boolean isEmpty) {
        order.remove(key);
        if (!isEmpty) {
            order.put(key, value);
        }
    }

    /** Removes one; returns false if it does not wait. */
    public boolean remove(Party party, E waiting) {
        @Nullable Group<E> group = groups.get(party.group());
        @Nullable Set<E> queue = group == null ? null : group.queues.get(party.name());
        if (group == null || queue == null || !queue.remove(waiting)) {
            return false;
        }
        group.size--;
        size--;
        if (queue.isEmpty()) {
            group.queues.remove(party.name());
        }
        if (group.size == 0) {
            groups.remove(party.group());
        }
        return true;
    }

    /** Removes all, and returns them in the order of their turns. */
    public List<E> drain() {
        List<E> all = new ArrayList<>(size);
        for (E next = poll(); next != null; next = poll()) {
            all.add(next);
        }
        return all;
    }

    private static <T> T first(Iterable<T> of) {
        Iterator<T> all = of.iterator();
        if (!all.hasNext()) {
            throw new NoSuchElementException();
        }
        return all.next();
    }
}
