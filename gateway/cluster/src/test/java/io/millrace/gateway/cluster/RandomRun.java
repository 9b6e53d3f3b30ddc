package io.millrace.gateway.cluster;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.NullUnmarked;

/**
 * A minute of clients' reads and writes under random faults and changes of the list, then one without new faults, or
 * with one that stays, and a last look at what everybody serves.
 */
@NullUnmarked // a model, where null is what is not there
final class RandomRun {
    private static final double FAULTS_END = 54;
    private static final double LONGEST_STRONG_WRITE = 3.6 + 0.5 + 3.3;
    private static final double LONGEST_ANNOUNCED_WRITE = 1.1 + 3.3;

    final SimulatedCluster cluster;

    /** Whether most faults are kills and stops that follow each other. */
    private final boolean isAimed;

    /** Whether the list of members changes. */
    private final boolean isListChanging;

    /** The members that a lasting fault concerns. */
    private final Set<String> lasting = new HashSet<>();

    private boolean isListBusy;

    RandomRun(long seed, Alteration alteration, boolean isAimed) {
        this(seed, alteration, isAimed, false);
    }

    /** @param isShared whether each key has a home */
    RandomRun(long seed, Alteration alteration, boolean isAimed, boolean isShared) {
        this.cluster = new SimulatedCluster(seed, alteration);
        this.cluster.isShared = isShared;
        this.cluster.isForgivingStrangers = true;
        this.isAimed = isAimed;
        this.isListChanging = cluster.chance(0.6);
        int size = cluster.oneOf(List.of(2, 3, 3, 4));
        cluster.list = new TreeSet<>(List.copyOf(cluster.members.keySet()).subList(0, size));
        cluster.list.forEach(name -> cluster.member(name).list = Set.copyOf(cluster.list));
    }

    /** Runs; returns what was violated. */
    List<String> run() {
        cluster.list.forEach(name -> cluster.after(cluster.between(0, 0.5), cluster.member(name)::boot));
        for (int i = 0; i < 14; i++) {
            useLater(FAULTS_END + 40);
        }
        cluster.run(5);
        disturb();
        heal();
        cluster.faultyUntil = FAULTS_END + 10;
        if (!isListChanging && cluster.chance(0.4)) {
            beginLastingFault();
            cluster.faultyUntil = Double.POSITIVE_INFINITY;
        }
        cluster.runUntil(FAULTS_END + 30);
        checkWrites();
        cluster.lastingCuts.clear();
        cluster.hung.clear();
        cluster.faultyUntil = cluster.now;
        cluster.run(62 + 1.3 * SimulatedCluster.UNANSWERED);
        checkEnd();
        return cluster.violations;
    }

    // Load

    private void useLater(double end) {
        if (cluster.now < end) {
            cluster.after(cluster.exponential(0.16), () -> use(end));
        }
    }

    private void use(double end) {
        String name = cluster.oneOf(cluster.members.keySet());
        SimulatedMember member = cluster.member(name);
        if (!member.isUp() || !member.process.isReady()) {
            cluster.after(0.01, () -> useLater(end));
            return;
        }
        String letter = cluster.oneOf(List.of("S", "S", "S", "S", "A", "A", "I", "I", "I", "U"));
        String key = cluster.oneOf(SimulatedCluster.KEYS.get(letter));
        if (letter.equals("U") || cluster.chance(0.78)) {
            cluster.read(name, key, cluster.chance(0.08), false, () -> useLater(end));
        } else {
            cluster.write(name, key, cluster.chance(0.03), outcome -> useLater(end));
        }
    }

    // Faults

    private void disturb() {
        cluster.freezes = true;
        cluster.lateEffects = cluster.oneOf(List.of(0.02, 0.02, 0.15));
        cluster.lostResponses = cluster.oneOf(List.of(0.0, 0.01, 0.02));
        double next = 5;
        double nextChange = cluster.between(8, 16);
        while (next < FAULTS_END - 2) {
            next += cluster.exponential(cluster.oneOf(List.of(2.5, 5.0, 9.0)));
            if (next < FAULTS_END - 2) {
                cluster.runUntil(next);
                if (isListChanging && next > nextChange && !isListBusy && next < FAULTS_END - 16) {
                    changeList();
                    nextChange = next + cluster.between(12, 25);
                }
                disturbOnce();
            }
        }
        cluster.runUntil(FAULTS_END);
    }

    private List<String> active() {
        return cluster.list.stream()
                .filter(name -> !cluster.retired.contains(name))
                .toList();
    }

    private SimulatedMember another(List<String> names, SimulatedMember one) {
        return cluster.member(cluster.oneOf(
                names.stream().filter(name -> !name.equals(one.name)).toList()));
    }

    private void disturbOnce() {
        List<String> names = active();
        SimulatedMember one = cluster.member(cluster.oneOf(names));
        SimulatedMember other = another(names, one);
        double kind = isAimed && cluster.chance(0.8) ? cluster.between(0.14, 0.46) : cluster.random.nextDouble();
        if (kind < 0.14) {
            names.stream()
                    .filter(name -> cluster.chance(0.6))
                    .forEach(name -> cluster.members
                            .get(name)
                            .killAndBoot(
                                    cluster.oneOf(List.of(0.1, 0.3, 1.5, 6.0)) * cluster.between(0.5, 1.5),
                                    cluster.chance(0.8)));
        } else if (kind < 0.22) {
            if (one.isUp()) {
                one.killAndBoot(cluster.oneOf(List.of(0.2, 3.0, 9.0)), true);
                one.empty();
            }
        } else if (kind < 0.34) {
            double duration = cluster.oneOf(List.of(2.0, 5.0, 9.0));
            cluster.cutBoth(one.name, other.name, duration);
            SimulatedMember victim = cluster.chance(0.5) ? one : other;
            cluster.after(duration + cluster.between(-0.5, 1), () -> {
                if (cluster.chance(0.6)) {
                    victim.killAndBoot(0.3, true);
                } else {
                    victim.restart(0.5);
                }
            });
        } else if (kind < 0.42) {
            one.restart(cluster.oneOf(List.of(0.5, 3.0)));
            cluster.fault(8);
            cluster.after(cluster.between(0.3, 3.5), () -> other.killAndBoot(0.4, true));
        } else if (kind < 0.46) {
            one.restart(cluster.oneOf(List.of(0.5, 3.0)));
            cluster.fault(8);
        } else {
            disturbAnyhow(names, one, other);
        }
    }

    private void disturbAnyhow(List<String> names, SimulatedMember one, SimulatedMember other) {
        double kind = cluster.random.nextDouble();
        if (kind < 0.25) {
            one.freeze(cluster.oneOf(List.of(1.0, 2.5, 5.0, 8.0, 12.0, 20.0, 35.0)) * cluster.between(0.8, 1.2));
        } else if (kind < 0.42) {
            one.killAndBoot(cluster.oneOf(List.of(0.2, 1.5, 6.0, 14.0)), cluster.chance(0.5));
        } else if (kind < 0.62) {
            double duration = cluster.oneOf(List.of(0.8, 2.0, 4.0, 9.0, 16.0, 28.0));
            cluster.cut(one.name, other.name, duration);
            if (cluster.chance(0.5)) {
                cluster.cut(other.name, one.name, duration);
            }
        } else if (kind < 0.72) {
            double duration = cluster.oneOf(List.of(2.0, 4.0, 9.0, 18.0, 28.0));
            names.stream()
                    .filter(name -> !name.equals(one.name))
                    .forEach(name -> cluster.cutBoth(one.name, name, duration));
        } else if (kind < 0.82) {
            roughen(cluster.between(0.02, 0.3), cluster.between(0.02, 0.4), cluster.oneOf(List.of(3.0, 8.0, 15.0)));
        } else if (kind < 0.92) {
            halve(names, cluster.oneOf(List.of(3.0, 7.0, 10.0, 16.0, 26.0)));
        } else {
            cluster.note("the port of %s hangs".formatted(one.name));
            cluster.fault(26);
            cluster.hung.add(one.name);
            cluster.after(cluster.oneOf(List.of(2.0, 6.0, 14.0, 25.0)), () -> cluster.hung.remove(one.name));
        }
    }

    private void halve(List<String> names, double duration) {
        Set<String> half = new HashSet<>();
        names.stream().filter(name -> cluster.chance(0.5)).forEach(half::add);
        for (String from : names) {
            for (String to : names) {
                if (half.contains(from) != half.contains(to)) {
                    cluster.cut(from, to, duration);
                }
            }
        }
    }

    private void roughen(double loss, double slow, double duration) {
        cluster.note("rough net for %.1f".formatted(duration));
        cluster.fault(duration + 4);
        cluster.loss = loss;
        cluster.slow = slow;
        cluster.repetition = 0.05;
        cluster.after(duration, this::smoothen);
    }

    private void smoothen() {
        cluster.loss = 0;
        cluster.slow = 0;
        cluster.repetition = 0.002;
    }

    private void heal() {
        cluster.note("healed");
        cluster.freezes = false;
        cluster.cuts.clear();
        cluster.hung.clear();
        smoothen();
        cluster.lostResponses = 0;
        cluster.lateEffects = 0;
        for (SimulatedMember member : cluster.members.values()) {
            member.frozenUntil = Math.min(member.frozenUntil, cluster.now);
            member.thaw();
        }
    }

    private void beginLastingFault() {
        List<String> names = active();
        SimulatedMember one = cluster.member(cluster.oneOf(names));
        double kind = cluster.random.nextDouble();
        lasting.add(one.name);
        if (kind < 0.35) {
            cluster.hung.add(one.name);
        } else if (kind < 0.6 && names.size() > 2) {
            names.stream()
                    .filter(name -> !name.equals(one.name))
                    .forEach(name -> cluster.lastingCuts.add(new SimulatedCluster.Link(name, one.name)));
        } else {
            SimulatedMember other = another(names, one);
            lasting.add(other.name);
            cluster.lastingCuts.add(new SimulatedCluster.Link(one.name, other.name));
            if (cluster.chance(0.5)) {
                cluster.lastingCuts.add(new SimulatedCluster.Link(other.name, one.name));
            }
        }
        cluster.note("a fault that stays: %s %s".formatted(lasting, cluster.lastingCuts));
    }

    // Changes of the list

    private void changeList() {
        List<String> spare = cluster.members.keySet().stream()
                .filter(name -> !cluster.list.contains(name)
                        && cluster.member(name).list.isEmpty())
                .toList();
        List<String> returning = cluster.retired.stream()
                .filter(name -> !cluster.list.contains(name))
                .sorted()
                .toList();
        List<Runnable> kinds = new ArrayList<>();
        if (!spare.isEmpty()) {
            kinds.add(() -> add(cluster.member(cluster.oneOf(spare))));
        }
        if (!returning.isEmpty()) {
            kinds.add(() -> {
                SimulatedMember member = cluster.member(cluster.oneOf(returning));
                cluster.retired.remove(member.name);
                member.empty();
                add(member);
            });
        }
        if (cluster.list.size() > 2) {
            kinds.add(() -> remove(cluster.member(cluster.oneOf(cluster.list)), false));
            kinds.add(() -> remove(cluster.member(cluster.oneOf(cluster.list)), true));
        }
        cluster.oneOf(kinds).run();
    }

    private void add(SimulatedMember member) {
        cluster.note("add %s".formatted(member.name));
        cluster.list = new TreeSet<>(cluster.list);
        cluster.list.add(member.name);
        member.list = Set.copyOf(cluster.list);
        cluster.after(cluster.between(0, 6), () -> {
            if (!member.isUp()) {
                member.boot();
            }
        });
        spreadList();
        isListBusy = true;
        cluster.after(10.5, () -> isListBusy = false);
    }

    private void spreadList() {
        Set<String> list = Set.copyOf(cluster.list);
        for (String name : List.copyOf(cluster.list)) {
            SimulatedMember member = cluster.member(name);
            cluster.after(cluster.between(0, 8), () -> {
                if (!member.list.equals(list)) {
                    learn(member, list);
                }
            });
        }
    }

    private void learn(SimulatedMember member, Set<String> list) {
        cluster.note("list of %s is %s".formatted(member.name, list));
        member.list = list;
        if (!member.isUp()) {
            return;
        }
        double kind = cluster.random.nextDouble();
        if (kind < 0.6) {
            member.process.after(0.001, () -> member.process.reload());
        } else if (kind < 0.8) {
            cluster.fault(8);
            member.restart(0.5);
        } else {
            member.killAndBoot(0.5, true);
        }
    }

    /**
     * Stops a member, or finds it dead, and takes it off the lists; one that returns is started again with its old
     * list.
     */
    private void remove(SimulatedMember member, boolean returns) {
        cluster.note("remove %s".formatted(member.name));
        isListBusy = true;
        if (member.isUp() && cluster.chance(0.6)) {
            cluster.fault(8);
            if (!member.process.isLeaving()) {
                member.process.leave(() -> takeOff(member, returns));
            }
            cluster.after(6, () -> takeOff(member, returns));
        } else {
            cluster.fault(2);
            member.kill(cluster.chance(0.5));
            cluster.after(cluster.between(0.1, 3), () -> takeOff(member, returns));
        }
    }

    private void takeOff(SimulatedMember member, boolean returns) {
        if (!cluster.list.contains(member.name)) {
            return;
        }
        cluster.note("%s is stopped for good".formatted(member.name));
        cluster.retired.add(member.name);
        member.kill(cluster.chance(0.5));
        cluster.list = new TreeSet<>(cluster.list);
        cluster.list.remove(member.name);
        cluster.after(cluster.between(0, 2), this::spreadList);
        cluster.after(returns ? 34 : 10.5, () -> isListBusy = false);
        if (returns) {
            cluster.after(11 + cluster.between(0, 3), () -> {
                cluster.note("%s is back with its old list".formatted(member.name));
                cluster.retired.remove(member.name);
                if (!member.isUp()) {
                    member.boot();
                }
                cluster.after(14, () -> {
                    cluster.retired.add(member.name);
                    member.kill(false);
                });
            });
        }
    }

    // Ends

    private void checkWrites() {
        Map<String, Double> ends = new HashMap<>();
        List<String> through = active().stream()
                .filter(name -> !lasting.contains(name) || lasting.size() == 2)
                .toList();
        double start = cluster.now;
        for (String name : through) {
            for (String key : List.of("S1", "A1", "I1")) {
                cluster.write(name, key, false, acknowledged -> {
                    if (acknowledged) {
                        ends.put(name + key, cluster.now);
                    }
                });
            }
        }
        cluster.run(14);
        for (String name : through) {
            SimulatedMember member = cluster.member(name);
            boolean mayRefuse = !lasting.isEmpty() && member.isUp() && !member.process.isReady();
            for (String key : List.of("S1", "A1", "I1")) {
                Double end = ends.get(name + key);
                double longest = key.startsWith("S") ? LONGEST_STRONG_WRITE : LONGEST_ANNOUNCED_WRITE;
                if (end == null && !mayRefuse) {
                    cluster.fail("P1", "no write of %s through %s".formatted(key, name));
                } else if (end != null && end - start > longest) {
                    cluster.fail("PW", "a write of %s through %s took %.1f".formatted(key, name, end - start));
                }
            }
        }
    }

    private void checkEnd() {
        for (String name : active()) {
            SimulatedMember member = cluster.member(name);
            if (!member.isUp() || !member.process.isReady() || !member.process.isHeld()) {
                boolean isReady = member.isUp() && member.process.isReady();
                cluster.fail("P1", "%s is up: %s, ready: %s".formatted(name, member.isUp(), isReady));
                continue;
            }
            member.process
                    .keysThatCannotBePublished()
                    .forEach(key -> cluster.fail("P2", "%s can never publish %s".formatted(name, key)));
            SimulatedCluster.KEYS.values().stream().flatMap(List::stream).forEach(key -> {
                cluster.read(name, key, false, true, () -> {});
                cluster.read(name, key, false, true, () -> {});
            });
        }
        cluster.run(15);
    }
}
