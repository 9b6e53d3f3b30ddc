package io.millrace.gateway.control;

import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * Remembers since when things have been in their state, as far as anybody has looked: the gateway itself does each
 * minute, and so do a scrape of {@code /metrics}, the console and the command line. Takes one entry for each thing of
 * the settings, and for buckets of patterns that are checked. Thread-safe.
 */
public final class StateClock {
    private final InstantSource clock;
    private final ConcurrentMap<String, Seen> seen = new ConcurrentHashMap<>();

    private record Seen(String state, Instant since) {}

    public StateClock(InstantSource clock) {
        this.clock = clock;
    }

    /**
     * Records the state of a thing, and returns since when it has been in it.
     *
     * @param thing its kind and name
     */
    public Instant since(String thing, String state) {
        return seen.compute(
                        thing,
                        (name, before) -> before != null && before.state().equals(state)
                                ? before
                                : new Seen(state, clock.instant().truncatedTo(ChronoUnit.SECONDS)))
                .since();
    }
}
