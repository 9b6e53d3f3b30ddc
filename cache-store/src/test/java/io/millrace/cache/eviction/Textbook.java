package io.millrace.cache.eviction;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.PriorityQueue;

/** The policies that others are compared with, each as its paper has it. They write what they admit, once. */
final class Textbook {
    private Textbook() {}

    /** Least recently used. */
    static Contender lru(int capacity) {
        return linked(capacity, true);
    }

    /** First in, first out. */
    static Contender fifo(int capacity) {
        return linked(capacity, false);
    }

    private static Contender linked(int capacity, boolean byUse) {
        Map<Integer, Boolean> cached = new LinkedHashMap<>(capacity * 2, 0.75f, byUse) {
            @Override
            protected boolean removeEldestEntry(Map.Entry<Integer, Boolean> eldest) {
                return size() > capacity;
            }
        };
        return new Counting(thing -> cached.get(thing) != null, thing -> cached.put(thing, true));
    }

    /** W-TinyLFU with a window that adapts. */
    static Contender caffeine(int capacity) {
        Cache<Integer, Boolean> cache = Caffeine.newBuilder()
                .maximumSize(capacity)
                .executor(Runnable::run)
                .build();
        return new Counting(thing -> cache.getIfPresent(thing) != null, thing -> cache.put(thing, true));
    }

    /** One that counts what it stores. */
    private static final class Counting implements Contender {
        private final java.util.function.IntPredicate find;
        private final java.util.function.IntConsumer store;
        private long written;

        Counting(java.util.function.IntPredicate find, java.util.function.IntConsumer store) {
            this.find = find;
            this.store = store;
        }

        @Override
        public boolean read(int thing) {
            if (find.test(thing)) {
                return true;
            }
            store.accept(thing);
            written++;
            return false;
        }

        @Override
        public long written() {
            return written;
        }
    }

    /** Zhang and others, NSDI 2024: a queue, a mark for what was used, and a hand that does not move what it passes. */
    static final class Sieve implements Contender {
        private final int capacity;
        private final int[] newer;
        private final int[] older;
        private final boolean[] cached;
        private final boolean[] visited;
        private int head = -1;
        private int tail = -1;
        private int hand = -1;
        private int size;
        private long written;

        Sieve(int capacity, int things) {
            this.capacity = capacity;
            this.newer = new int[things];
            this.older = new int[things];
            this.cached = new boolean[things];
            this.visited = new boolean[things];
        }

        @Override
        public boolean read(int thing) {
            if (cached[thing]) {
                visited[thing] = true;
                return true;
            }
            if (size == capacity) {
                evict();
            }
            insert(thing);
            return false;
        }

        private void insert(int thing) {
            newer[thing] = -1;
            older[thing] = head;
            if (head >= 0) {
                newer[head] = thing;
            }
            head = thing;
            tail = tail < 0 ? thing : tail;
            cached[thing] = true;
            visited[thing] = false;
            size++;
            written++;
        }

        private void evict() {
            int at = hand < 0 ? tail : hand;
            while (visited[at]) {
                visited[at] = false;
                at = newer[at] < 0 ? tail : newer[at];
            }
            hand = newer[at];
            cached[at] = false;
            if (newer[at] >= 0) {
                older[newer[at]] = older[at];
            } else {
                head = older[at];
            }
            if (older[at] >= 0) {
                newer[older[at]] = newer[at];
            } else {
                tail = newer[at];
            }
            size--;
        }

        @Override
        public long written() {
            return written;
        }
    }

    /**
     * Yang and others, SOSP 2023: a tenth for newcomers, nine tenths for what was used there, and ghosts of those that
     * were not.
     */
    static final class S3Fifo implements Contender {
        private final int smallSize;
        private final int mainSize;
        private final Deque<Integer> small = new ArrayDeque<>();
        private final Deque<Integer> main = new ArrayDeque<>();
        private final Deque<Integer> ghosts = new ArrayDeque<>();
        private final byte[] uses;

        /** 0 nowhere, 1 small, 2 main. */
        private final byte[] where;

        private final int[] ghost;
        private long written;

        S3Fifo(int capacity, int things) {
            smallSize = Math.max(1, capacity / 10);
            mainSize = capacity - smallSize;
            uses = new byte[things];
            where = new byte[things];
            ghost = new int[things];
        }

        @Override
        public boolean read(int thing) {
            if (where[thing] != 0) {
                uses[thing] = (byte) Math.min(3, uses[thing] + 1);
                return true;
            }
            while (small.size() + main.size() >= smallSize + mainSize) {
                if (small.size() >= smallSize || main.isEmpty()) {
                    evictSmall();
                } else {
                    evictMain();
                }
            }
            uses[thing] = 0;
            if (ghost[thing] > 0) {
                where[thing] = 2;
                main.addLast(thing);
            } else {
                where[thing] = 1;
                small.addLast(thing);
            }
            written++;
            return false;
        }

        private void evictSmall() {
            while (!small.isEmpty()) {
                int thing = small.removeFirst();
                if (uses[thing] > 1) {
                    uses[thing] = 0;
                    where[thing] = 2;
                    main.addLast(thing);
                    // Queues on a disk: moving is writing.
                    written++;
                    if (main.size() > mainSize) {
                        evictMain();
                    }
                } else {
                    where[thing] = 0;
                    remember(thing);
                    return;
                }
            }
        }

        private void evictMain() {
            while (!main.isEmpty()) {
                int thing = main.removeFirst();
                if (uses[thing] > 0) {
                    uses[thing]--;
                    main.addLast(thing);
                    written++;
                } else {
                    where[thing] = 0;
                    return;
                }
            }
        }

        private void remember(int thing) {
            ghost[thing]++;
            ghosts.addLast(thing);
            if (ghosts.size() > mainSize) {
                ghost[ghosts.removeFirst()]--;
            }
        }

        @Override
        public long written() {
            return written;
        }
    }

    /** Belady: what is wanted last goes, or does not come. It knows what will be read. */
    static final class Belady implements Contender {
        private final int[] next;
        private final int capacity;
        private final boolean[] cached;
        private final int[] wantedAt;
        private final PriorityQueue<long[]> latestFirst = new PriorityQueue<>((a, b) -> Long.compare(b[0], a[0]));
        private int size;
        private int position;
        private long written;

        Belady(int capacity, Trace trace) {
            this.capacity = capacity;
            this.cached = new boolean[trace.things()];
            this.wantedAt = new int[trace.things()];
            this.next = new int[trace.length()];
            int[] last = new int[trace.things()];
            Arrays.fill(last, Integer.MAX_VALUE);
            for (int i = next.length - 1; i >= 0; i--) {
                next[i] = last[trace.read(i)];
                last[trace.read(i)] = i;
            }
        }

        @Override
        public boolean read(int thing) {
            int wanted = next[position++];
            boolean hit = cached[thing];
            wantedAt[thing] = wanted;
            if (!hit && wanted == Integer.MAX_VALUE) {
                return false;
            }
            if (!hit) {
                cached[thing] = true;
                size++;
                written++;
            }
            latestFirst.add(new long[] {wanted, thing});
            while (size > capacity) {
                long[] latest = latestFirst.remove();
                int victim = (int) latest[1];
                if (cached[victim] && wantedAt[victim] == latest[0]) {
                    cached[victim] = false;
                    size--;
                    // What went at once was never written.
                    written -= victim == thing && !hit ? 1 : 0;
                }
            }
            return hit;
        }

        @Override
        public long written() {
            return written;
        }
    }
}
