package io.millrace.gateway.s3.observe;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/** A ring of the newest elements, which displace the oldest. Thread-safe, without a lock. */
final class RecentRing<T> {
    private final AtomicReferenceArray<@Nullable T> elements;
    private final AtomicLong next = new AtomicLong();

    /** @param capacity how many elements are kept */
    RecentRing(int capacity) {
        elements = new AtomicReferenceArray<>(capacity);
    }

    void add(T element) {
        elements.set((int) (next.getAndIncrement() % elements.length()), element);
    }

    /** Returns what is kept, the newest first. */
    List<T> newestFirst() {
        List<T> found = new ArrayList<>();
        long newest = next.get() - 1;
        for (long i = newest; i >= 0 && i > newest - elements.length(); i--) {
            @Nullable T element = elements.get((int) (i % elements.length()));
            if (element != null) {
                found.add(element);
            }
        }
        return found;
    }
}
