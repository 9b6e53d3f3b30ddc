package io.millrace.gateway.cluster;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.NullUnmarked;

/** A machine of the simulation: what outlasts its processes, and its clock. */
@NullUnmarked // a model, where null is what is not there
final class SimulatedMember {
    final String name;

    /** The speed of its clock. */
    final double rate;

    /** The time that its clock shows at the beginning. */
    final double offset;

    /** The list of members in its settings; empty while it is none of them. */
    Set<String> list = Set.of();

    /** Null while there is none. */
    SimulatedProcess process;

    double frozenUntil;

    /** Whether deletions stay undone. */
    boolean isDiskSlow;

    MissedRecords missed = MissedRecords.EMPTY;
    KnownMembers known = KnownMembers.EMPTY;

    /** The stored cache entries, and those that a power cut leaves. */
    final Map<String, Stored> disk = new HashMap<>();

    final Map<String, Stored> synced = new HashMap<>();
    private final SimulatedCluster cluster;
    private final List<Held> held = new ArrayList<>();

    /** A cached version, and when it was requested. */
    record Stored(int version, double at) {}

    private record Held(SimulatedProcess process, Runnable task) {}

    SimulatedMember(SimulatedCluster cluster, String name, double rate, double offset) {
        this.cluster = cluster;
        this.name = name;
        this.rate = rate;
        this.offset = offset;
    }

    boolean isUp() {
        return process != null;
    }

    void boot() {
        held.clear();
        process = new SimulatedProcess(cluster, this);
        process.start();
    }

    void deliver(Consumer<SimulatedProcess> message) {
        SimulatedProcess now = process;
        if (now != null && !cluster.hung.contains(name)) {
            runOrHold(now, () -> message.accept(now));
        }
    }

    /** Runs a task of a process unless that has ended; when it is frozen, afterwards. */
    void runOrHold(SimulatedProcess of, Runnable task) {
        if (of != process) {
            return;
        }
        if (cluster.now < frozenUntil) {
            held.add(new Held(of, task));
        } else {
            task.run();
        }
    }

    void freeze(double duration) {
        if (!isUp() || cluster.now < frozenUntil) {
            return;
        }
        cluster.fault(duration);
        cluster.note("freeze %s for %.1f".formatted(name, duration));
        frozenUntil = cluster.now + duration;
        cluster.after(duration, this::thaw);
    }

    void thaw() {
        if (cluster.now < frozenUntil) {
            return;
        }
        List<Held> tasks = new ArrayList<>(held);
        held.clear();
        if (cluster.chance(0.5)) {
            Collections.shuffle(tasks, cluster.random);
        }
        tasks.forEach(task -> runOrHold(task.process(), task.task()));
    }

    /** Kills the process; some entries of the disk may be older afterwards. */
    void kill(boolean stale) {
        if (!isUp()) {
            return;
        }
        cluster.note("kill %s%s".formatted(name, stale ? ", with an older disk" : ""));
        process.forgottenKeys().forEach(cluster.exempt::add);
        process = null;
        held.clear();
        frozenUntil = cluster.now;
        if (stale) {
            for (String key : SimulatedCluster.KEYS.values().stream()
                    .flatMap(List::stream)
                    .toList()) {
                if (!cluster.chance(0.3)) {
                    replace(key);
                }
            }
        }
        synced.clear();
        synced.putAll(disk);
    }

    /** Cuts the power: the disk is as it was last synced. */
    void cutPower(double after) {
        cluster.note("power cut of %s".formatted(name));
        disk.clear();
        disk.putAll(synced);
        killAndBoot(after, false);
    }

    private void replace(String key) {
        Stored before = synced.get(key);
        if (before == null) {
            disk.remove(key);
        } else {
            disk.put(key, before);
        }
    }

    void killAndBoot(double after, boolean stale) {
        if (isUp()) {
            cluster.fault(after + 1);
            kill(stale);
            bootLater(after);
        }
    }

    private void bootLater(double after) {
        cluster.after(after, () -> {
            if (!isUp() && !list.isEmpty() && !cluster.retired.contains(name)) {
                cluster.note("boot %s with %s".formatted(name, list));
                boot();
            }
        });
    }

    /** Loses the disk and the data folder. */
    void empty() {
        missed = MissedRecords.EMPTY;
        known = KnownMembers.EMPTY;
        disk.clear();
        synced.clear();
    }

    /** Stops cleanly, and starts again. */
    void restart(double after) {
        SimulatedProcess now = process;
        if (now != null && !now.isLeaving()) {
            cluster.note("%s leaves".formatted(name));
            now.leave(() -> killAndBoot(after, false));
        }
    }

    void reload(Set<String> next) {
        list = next;
        if (isUp()) {
            process.reload();
        }
    }
}
