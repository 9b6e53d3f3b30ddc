package io.millrace.cache.eviction;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Supplier;

/**
 * A trace, a size of the cache, and how contenders did: the store's own policy on a model of its segments, those of the
 * textbooks, and who knows what will be read.
 */
record Judged(Trace trace, int capacity, List<Result> results) {
    /** Segments of the model: as many as a disk of the store has at least, twice. */
    static final int SEGMENTS = 32;

    static final String OURS = "Millrace";
    static final String BOUND = "Belady (offline)";

    /**
     * What came of one.
     *
     * @param hits of the counted reads, 0 to 1
     * @param written things that were written for each read, moved ones included
     */
    record Result(String name, double hits, double written) {}

    private record Entrant(String name, Supplier<Contender> cache) {}

    static Judged of(Trace trace, int capacity) {
        List<Result> results = new ArrayList<>();
        for (Entrant entrant : entrants(trace, capacity)) {
            results.add(play(trace, entrant.name(), entrant.cache().get()));
        }
        return new Judged(trace, capacity, results);
    }

    private static List<Entrant> entrants(Trace trace, int capacity) {
        int things = trace.things();
        return List.of(
                new Entrant(OURS, () -> model(capacity, things)),
                new Entrant("LRU", () -> Textbook.lru(capacity)),
                new Entrant("FIFO", () -> Textbook.fifo(capacity)),
                new Entrant("S3-FIFO", () -> new Textbook.S3Fifo(capacity, things)),
                new Entrant("SIEVE", () -> new Textbook.Sieve(capacity, things)),
                new Entrant("W-TinyLFU", () -> Textbook.caffeine(capacity)),
                new Entrant(BOUND, () -> new Textbook.Belady(capacity, trace)));
    }

    /** The policy as the store runs it. */
    static Contender model(int capacity, int things) {
        return new LogModel(AdmissionAndEvictionPolicy.frequency(32L * capacity), capacity, SEGMENTS, things);
    }

    static Result play(Trace trace, String name, Contender cache) {
        long counted = 0;
        long hits = 0;
        for (int i = 0; i < trace.length(); i++) {
            boolean hit = cache.read(trace.read(i));
            if (trace.counts(i)) {
                counted++;
                hits += hit ? 1 : 0;
            }
        }
        return new Result(name, (double) hits / counted, (double) cache.written() / trace.length());
    }

    double ours() {
        return hits(OURS);
    }

    double bound() {
        return hits(BOUND);
    }

    /** The most hits of those who do not know what will be read, ours aside. */
    double bestOther() {
        return results.stream()
                .filter(result -> !result.name().equals(OURS) && !result.name().equals(BOUND))
                .mapToDouble(Result::hits)
                .max()
                .orElse(0);
    }

    private double hits(String name) {
        return results.stream()
                .filter(result -> result.name().equals(name))
                .findFirst()
                .orElseThrow()
                .hits();
    }

    /** A row of a table. */
    String row() {
        StringBuilder row = new StringBuilder(String.format(Locale.ROOT, "| %s, cache %,d |", trace.name(), capacity));
        for (Result result : results) {
            row.append(String.format(Locale.ROOT, " %.1f · %.0f |", 100 * result.hits(), 100 * result.written()));
        }
        return row.toString();
    }

    String head() {
        StringBuilder head = new StringBuilder("| trace |");
        StringBuilder line = new StringBuilder("\n|---|");
        for (Result result : results) {
            head.append(' ').append(result.name()).append(" |");
            line.append("---|");
        }
        return head.append(line).toString();
    }
}
