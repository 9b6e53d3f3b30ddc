package io.millrace.gateway.cluster;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;

/**
 * A cluster on one thread, in virtual time that a seed determines: its net, its backend, its clients and what they
 * may see. Times are in seconds. Keys begin with the letter of their bucket: S is strong and immutable, A announced
 * with a ttl, I announced and immutable, U announced and never written.
 */
final class SimulatedCluster {
    static final LeaseTerms TERMS = new LeaseTerms(Duration.ofSeconds(3));
    static final double TTL = 8;

    /** The time in which an unanswered write may take effect, here shorter than the five minutes of the gateway. */
    static final double UNANSWERED = 30;

    static final Map<String, List<String>> KEYS = new TreeMap<>(Map.of(
            "S", List.of("S1", "S2", "S3"),
            "A", List.of("A1", "A2"),
            "I", List.of("I1", "I2", "I3"),
            "U", List.of("U1", "U2")));

    /** After what time without faults an announced write must be seen. */
    private static final double HEARD = 5;

    private static final double LATEST_EFFECT = 0.85 * UNANSWERED;

    final Random random;
    final Alteration alteration;
    final Map<String, SimulatedMember> members = new TreeMap<>();

    /** The list as the operator has it, and who was stopped to be taken off. */
    Set<String> list = new TreeSet<>();

    final Set<String> retired = new HashSet<>();
    final Set<Link> cuts = new HashSet<>();
    final Set<Link> lastingCuts = new HashSet<>();
    final Set<String> hung = new HashSet<>();

    /** The time that messages are on their way, beside what each is. */
    final Map<Link, Double> lateness = new HashMap<>();

    double now;
    double loss;
    double slow;
    double repetition = 0.002;
    double lostResponses;

    /** The time that goodbyes are on their way, beside what each message is. */
    double goodbyeDelay;

    double lateEffects = 0.02;
    boolean tails = true;
    boolean freezes;

    /** Whether each key has a home, which other members ask before the backend. */
    boolean isShared;

    /** Whether the backend responds to no write, which takes effect after 22 s. */
    boolean isUnanswering;

    /** Until when faults of the present may show in announced buckets. */
    double faultyUntil;

    /**
     * Whether nobody needs to hear of what a member writes that was taken off the list, started again, and not told yet
     * that it is not on it, as the contract has it.
     */
    boolean isForgivingStrangers;

    /** Keys whose unanswered writes were forgotten with their process, as the contract of one gateway has it. */
    final Set<String> exempt = new HashSet<>();

    final Map<String, Integer> versions = new HashMap<>();
    final Map<String, Integer> acknowledged = new HashMap<>();
    final List<String> violations = new ArrayList<>();
    final List<String> log = new ArrayList<>();
    boolean tracing;
    int invalidations;
    int reads;
    int hits;
    int relays;
    int writes;
    private final PriorityQueue<Event> events = new PriorityQueue<>();
    private long order;

    /** Returns the member of a name. */
    SimulatedMember member(String name) {
        return Objects.requireNonNull(members.get(name), name);
    }

    /** One direction between two members. */
    record Link(String from, String to) {}

    private record Event(double at, long order, Runnable task) implements Comparable<Event> {
        @Override
        public int compareTo(Event other) {
            int byTime = Double.compare(at, other.at);
            return byTime != 0 ? byTime : Long.compare(order, other.order);
        }
    }

    SimulatedCluster(long seed, Alteration alteration) {
        this.random = new Random(seed * 0x9E3779B97F4A7C15L);
        this.alteration = alteration;
        for (int i = 0; i < 5; i++) {
            String name = "n" + i;
            members.put(name, new SimulatedMember(this, name, between(0.95, 1.05), between(0, 1000)));
        }
    }

    // Time

    void after(double delay, Runnable task) {
        order++;
        events.add(new Event(now + delay, order, task));
    }

    void runUntil(double end) {
        while (!events.isEmpty() && events.peek().at() <= end) {
            Event next = events.remove();
            now = next.at();
            next.task().run();
        }
        now = end;
    }

    void run(double duration) {
        runUntil(now + duration);
    }

    double between(double low, double high) {
        return low + random.nextDouble() * (high - low);
    }

    boolean chance(double probability) {
        return random.nextDouble() < probability;
    }

    <T> T oneOf(Collection<T> choices) {
        return List.copyOf(choices).get(random.nextInt(choices.size()));
    }

    double exponential(double mean) {
        return -Math.log(1 - random.nextDouble()) * mean;
    }

    // Net

    /** Delivers a message to the process that a member has then, if nothing is in its way. */
    void send(String from, String to, Consumer<SimulatedProcess> message) {
        send(from, to, 0, message);
    }

    void send(String from, String to, double more, Consumer<SimulatedProcess> message) {
        Link link = new Link(from, to);
        if (cuts.contains(link) || lastingCuts.contains(link) || (loss > 0 && chance(loss))) {
            return;
        }
        double late = lateness.getOrDefault(link, 0.0);
        after(more + late + delay(), () -> member(to).deliver(message));
        if (chance(repetition)) {
            after(between(0, 4), () -> member(to).deliver(message));
        }
    }

    private double delay() {
        return chance(slow) ? between(0.01, 2.5) : between(0.0002, 0.0022);
    }

    // Backend

    void backendRead(SimulatedProcess reader, String key, Consumer<Integer> response) {
        double there = between(0.004, 0.014) + (chance(0.02) ? between(0.1, 2) : 0);
        double back = between(0.004, 0.014) + (chance(0.06) ? between(0.1, 6) : 0);
        boolean lost = chance(lostResponses);
        after(there, () -> {
            int version = versions.getOrDefault(key, 0);
            reader.after(back, () -> response.accept(lost ? null : version));
        });
    }

    /** Writes a key; the response says whether the backend has answered. */
    void backendWrite(SimulatedProcess writer, OpenWrite write, Consumer<Boolean> response) {
        if (isUnanswering) {
            after(22, () -> takeEffect(write));
            writer.after(5, () -> response.accept(false));
            return;
        }
        double there = between(0.005, 0.025);
        if (tails && chance(0.05)) {
            there += between(0.1, 3);
        } else if (chance(lateEffects)) {
            there += between(3, LATEST_EFFECT - 1);
        }
        double back = between(0.004, 0.024);
        boolean lost = chance(lostResponses * 4);
        boolean never = lost && chance(0.4);
        if (lost && !never) {
            there = between(0.01, LATEST_EFFECT);
        }
        boolean[] answered = {false};
        Consumer<Boolean> once = outcome -> {
            if (!answered[0]) {
                answered[0] = true;
                response.accept(outcome);
            }
        };
        if (!never) {
            after(there, () -> {
                takeEffect(write);
                if (!lost) {
                    writer.after(back, () -> once.accept(true));
                }
            });
        }
        writer.after(5 + (lost ? 0 : there), () -> once.accept(false));
    }

    void takeEffect(OpenWrite write) {
        write.version = versions.merge(write.key, 1, Integer::sum);
        note("effect of %s=%d of %s".formatted(write.key, write.version, write.origin));
    }

    // Clients

    void read(String member, String key, boolean strict, boolean isFinal, Runnable then) {
        int floor = acknowledged.getOrDefault(key, 0);
        double start = now;
        boolean[] done = {false};
        Runnable once = () -> {
            if (!done[0]) {
                done[0] = true;
                then.run();
            }
        };
        after(
                0.001,
                () -> member(member)
                        .deliver(process -> process.read(key, strict, (version, hit) -> {
                            if (version != null) {
                                check(member, key, version, hit, floor, start, isFinal);
                            }
                            once.run();
                        })));
        after(5, once);
    }

    private void check(String member, String key, int version, boolean hit, int floor, double start, boolean isFinal) {
        reads++;
        hits += hit ? 1 : 0;
        String how = hit ? "hit" : "fetch";
        note("read %s=%d at %s %s since %.3f floor %d".formatted(key, version, member, how, start, floor));
        if (version < floor && key.startsWith("S")) {
            fail("O1", "read %s=%d at %s, acknowledged before: %d".formatted(key, version, member, floor));
        } else if (version < floor) {
            double late = start - faultyUntil - (key.startsWith("A") ? 2 + 1.06 * TTL : HEARD);
            if (late > 0 && !exempt.contains(key)) {
                fail("OA", "read %s=%d at %s after %d, %.1f s late".formatted(key, version, member, floor, late));
            }
        }
        if (isFinal && version != versions.getOrDefault(key, 0) && !exempt.contains(key)) {
            fail("O3", "%s serves %s=%d, the backend has %d".formatted(member, key, version, versions.get(key)));
        }
    }

    /** Writes through a member; the outcome is true if the write was acknowledged. */
    void write(String member, String key, boolean isLong, Consumer<Boolean> outcome) {
        boolean[] done = {false};
        double start = now;
        after(
                0.001,
                () -> member(member)
                        .deliver(process -> process.write(key, isLong, version -> {
                            note("write %s=%s by %s since %.3f".formatted(key, version, member, start));
                            if (version != null) {
                                writes++;
                                noteAcknowledged(member, key, version);
                            }
                            if (!done[0]) {
                                done[0] = true;
                                outcome.accept(version != null);
                            }
                        })));
        after(isLong ? 60 : 25, () -> {
            if (!done[0]) {
                done[0] = true;
                outcome.accept(false);
            }
        });
    }

    private void noteAcknowledged(String member, String key, int version) {
        if (isForgivingStrangers && !list.contains(member)) {
            exempt.add(key);
        } else {
            acknowledged.merge(key, version, Math::max);
        }
    }

    // Faults

    void fault(double duration) {
        faultyUntil = Math.max(faultyUntil, now + duration);
    }

    void cut(String from, String to, double duration) {
        fault(duration);
        note("cut %s to %s for %.1f".formatted(from, to, duration));
        Link link = new Link(from, to);
        cuts.add(link);
        after(duration, () -> cuts.remove(link));
    }

    void cutBoth(String one, String other, double duration) {
        cut(one, other, duration);
        cut(other, one, duration);
    }

    void note(String text) {
        if (tracing) {
            log.add("%8.3f %s".formatted(now, text));
        }
    }

    void fail(String oracle, String text) {
        String violation = "%s at %.2f: %s".formatted(oracle, now, text);
        note("*** " + violation);
        violations.add(violation);
    }
}
