package io.millrace.gateway.cluster;

import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * A schedule of few faults, each of which breaks a promise if one rule is lacking. Writes go through n0, and n1 has
 * cached S1 and I1.
 */
enum FixedSchedule {
    POWER_CUT_AFTER_WRITES(2) {
        @Override
        void play(SimulatedCluster cluster) {
            write(cluster, "n0", "S1", 0.5);
            write(cluster, "n0", "I1", 0.5);
            cluster.member("n1").cutPower(0.3);
        }
    },
    BOTH_ARE_KILLED_AFTER_A_RESTART(2) {
        @Override
        void play(SimulatedCluster cluster) {
            cluster.member("n0").restart(0.5);
            cluster.run(6);
            write(cluster, "n0", "S1", 0.15);
            cluster.member("n1").cutPower(0.3);
            cluster.member("n0").killAndBoot(0.3, false);
        }
    },
    GOODBYE_IS_LOST(2) {
        @Override
        void play(SimulatedCluster cluster) {
            write(cluster, "n0", "S1", 0.5);
            write(cluster, "n0", "I1", 0.5);
            cluster.member("n0").restart(1);
            cluster.cut("n0", "n1", 1);
            cluster.run(1.2);
            cluster.member("n1").cutPower(0.3);
        }
    },
    SESSION_ENDS_IN_THE_SAME_PROCESS(2) {
        @Override
        void play(SimulatedCluster cluster) {
            write(cluster, "n0", "I1", 0.5);
            cluster.cutBoth("n0", "n1", 6);
            write(cluster, "n0", "S1", 9);
            cluster.member("n1").cutPower(0.3);
        }
    },
    DEAD_MEMBER_IS_TAKEN_OFF(3) {
        @Override
        void play(SimulatedCluster cluster) {
            cluster.cutBoth("n0", "n1", 30);
            write(cluster, "n0", "S1", 6);
            write(cluster, "n0", "I1", 6);
            retire(cluster, "n0");
            reload(cluster, "n1", "n2");
        }
    },
    DATA_FOLDER_IS_LOST(2) {
        @Override
        void play(SimulatedCluster cluster) {
            cluster.cutBoth("n0", "n1", 14);
            write(cluster, "n0", "S1", 6);
            write(cluster, "n0", "I1", 6);
            cluster.member("n0").killAndBoot(1, false);
            cluster.member("n0").empty();
            cluster.run(4);
        }
    },
    MEMBER_IS_ADDED_AGAIN_WITH_OLD_DATA(3) {
        @Override
        void play(SimulatedCluster cluster) {
            cluster.member("n1").kill(false);
            cluster.run(1);
            reload(cluster, "n0", "n2");
            cluster.run(0.5);
            write(cluster, "n0", "S1", 0.5);
            write(cluster, "n0", "I1", 0.5);
            reload(cluster, "n0", "n1", "n2");
            cluster.member("n1").boot();
        }
    },
    UNANSWERED_WRITE_IS_MISSED(2) {
        @Override
        void play(SimulatedCluster cluster) {
            cluster.cutBoth("n0", "n1", 14);
            writeUnanswered(cluster, 16);
            read(cluster, "n1", "I1");
            read(cluster, "n1", "I1");
            cluster.run(40);
        }
    },
    PROCESS_ENDS_THAT_KNEW_AN_UNANSWERED_WRITE(2) {
        @Override
        void play(SimulatedCluster cluster) {
            writeUnanswered(cluster, 7);
            cluster.member("n1").killAndBoot(0.3, false);
            cluster.run(6);
            read(cluster, "n1", "I1");
            read(cluster, "n1", "I1");
            cluster.run(40);
        }
    },
    STOPPED_MEMBER_RETURNS_WITH_ITS_OLD_LIST(3) {
        @Override
        void play(SimulatedCluster cluster) {
            cluster.member("n2").kill(false);
            cluster.run(1);
            reload(cluster, "n0", "n1");
            cluster.run(0.5);
            read(cluster, "n1", "S1");
            read(cluster, "n1", "I1");
            cluster.member("n2").boot();
            cluster.run(2);
            write(cluster, "n2", "S1", 6);
            write(cluster, "n2", "I1", 6);
        }
    },
    /** It said goodbye, wrote in its next process, of which the others do not hear, and was killed. */
    MEMBER_WRITES_AFTER_ITS_GOODBYE(3) {
        @Override
        void play(SimulatedCluster cluster) {
            cluster.member("n1").isDiskSlow = false;
            cluster.member("n2").isDiskSlow = false;
            cluster.member("n0").restart(4);
            cluster.run(4);
            cluster.cutBoth("n0", "n1", 60);
            cluster.cutBoth("n0", "n2", 60);
            cluster.run(2);
            write(cluster, "n0", "S1", 6);
            retire(cluster, "n0");
            reload(cluster, "n1", "n2");
        }
    },
    /** Nobody can reach n2, whose session still existed. */
    OTHERS_RESTART_WHILE_ONE_IS_DEAD(3) {
        @Override
        void play(SimulatedCluster cluster) {
            cluster.member("n2").kill(false);
            cluster.run(6);
            cluster.member("n0").restart(1);
            cluster.run(6);
            if (!cluster.member("n0").process.isReady()) {
                cluster.fail("READY", "a member that was restarted waits for a dead one");
            }
            cluster.member("n2").boot();
        }
    },
    /** Requests of n1 come through, but nothing reaches it. */
    MEMBER_HEARS_NOTHING(2) {
        @Override
        void play(SimulatedCluster cluster) {
            cluster.cut("n0", "n1", 60);
            boolean[] done = {false};
            cluster.write("n0", "S1", false, acknowledged -> done[0] = acknowledged);
            cluster.run(6);
            if (!done[0]) {
                cluster.fail("PW", "a write waits for a member that hears nothing");
            }
            cluster.cuts.clear();
        }
    },
    /** Twenty writes through n0 after n1 was away once: it misses none of them. */
    PAUSED_MEMBER_HEARS_EVERYTHING(2) {
        @Override
        void play(SimulatedCluster cluster) {
            cluster.member("n1").isDiskSlow = false;
            cluster.cutBoth("n0", "n1", 4);
            write(cluster, "n0", "S1", 6);
            int before = cluster.invalidations;
            for (int i = 0; i < 20; i++) {
                write(cluster, "n0", "S1", 0.3);
            }
            if (cluster.invalidations - before > 2) {
                cluster.fail("MISSED", "%d invalidations by 20 writes".formatted(cluster.invalidations - before));
            }
        }
    },
    UNHEARD_MEMBER_DELAYS_NO_ANNOUNCED_WRITE(2) {
        @Override
        void play(SimulatedCluster cluster) {
            cluster.cutBoth("n0", "n1", 60);
            write(cluster, "n0", "I1", 2);
            boolean[] done = {false};
            cluster.write("n0", "I2", false, acknowledged -> done[0] = acknowledged);
            cluster.run(0.5);
            if (!done[0]) {
                cluster.fail("PW", "an announced write waits for a member that is not heard");
            }
            cluster.cuts.clear();
        }
    },
    /** One writer waits for each acknowledgement of n1, which is in time, and not for ever. */
    MEMBER_IS_ALWAYS_LATE(2) {
        @Override
        void play(SimulatedCluster cluster) {
            cluster.member("n1").isDiskSlow = false;
            cluster.lateness.put(new SimulatedCluster.Link("n0", "n1"), 0.9);
            for (String key : List.of("S1", "I1")) {
                for (int i = 0; i < 20; i++) {
                    writeToItsEnd(cluster, "n0", key);
                }
                double start = cluster.now;
                for (int i = 0; i < 10; i++) {
                    writeToItsEnd(cluster, "n0", key);
                }
                if (cluster.now - start > 5) {
                    cluster.fail("PW", "each write of %s waits for a member that is late".formatted(key));
                }
            }
            cluster.lateness.clear();
        }
    },
    /** It reads as soon as the write that it cannot hear of is acknowledged. */
    MEMBER_IS_CUT_OFF(2) {
        @Override
        void play(SimulatedCluster cluster) {
            cluster.cutBoth("n0", "n1", 8);
            writeAndRead(cluster, "n0", "S1", "n1");
        }
    },
    WRITE_IS_MISSED(2) {
        @Override
        void play(SimulatedCluster cluster) {
            cluster.cutBoth("n0", "n1", 6);
            write(cluster, "n0", "S1", 5);
            write(cluster, "n0", "I1", 5);
        }
    },
    POWER_CUT_AFTER_AN_INVALIDATION(2) {
        @Override
        void play(SimulatedCluster cluster) {
            cluster.cutBoth("n0", "n1", 6);
            write(cluster, "n0", "S1", 5);
            write(cluster, "n0", "I1", 5);
            cluster.member("n1").cutPower(0.3);
        }
    },
    /** The lease of the last process is still held. */
    NEXT_PROCESS_WRITES_AT_ONCE(2) {
        @Override
        void play(SimulatedCluster cluster) {
            cluster.run(1);
            cluster.member("n0").killAndBoot(0.2, false);
            cluster.cutBoth("n0", "n1", 8);
            cluster.run(0.3);
            writeAndRead(cluster, "n0", "S1", "n1");
        }
    },
    /** Nobody waits for it any more, and it has no leases. */
    RUNNING_MEMBER_IS_NOT_LISTED(3) {
        @Override
        void play(SimulatedCluster cluster) {
            cluster.list = new TreeSet<>(Set.of("n0", "n2"));
            cluster.list.forEach(name -> cluster.member(name).reload(Set.of("n0", "n2")));
            cluster.run(4);
            write(cluster, "n0", "S1", 1);
            read(cluster, "n1", "S1");
        }
    },
    STOPPED_MEMBER_IS_NOT_WAITED_FOR(2) {
        @Override
        void play(SimulatedCluster cluster) {
            cluster.member("n1").restart(4);
            cluster.run(0.4);
            boolean[] done = {false};
            cluster.write("n0", "S1", false, acknowledged -> done[0] = acknowledged);
            cluster.run(0.5);
            if (!done[0]) {
                cluster.fail("PW", "a write waits for a member that has said goodbye");
            }
        }
    },
    /** The goodbye of n1 has come, and its process is not yet over. */
    STOPPING_MEMBER_READS(2) {
        @Override
        void play(SimulatedCluster cluster) {
            cluster.member("n1").restart(2);
            cluster.run(0.15);
            writeAndRead(cluster, "n0", "S1", "n1");
        }
    },
    /** Its next process holds a lease, and cannot hear of the write. */
    GOODBYE_COMES_AFTER_THE_NEXT_START(2) {
        @Override
        void play(SimulatedCluster cluster) {
            cluster.member("n1").isDiskSlow = false;
            cluster.goodbyeDelay = 3;
            cluster.member("n1").restart(0.3);
            cluster.run(2);
            read(cluster, "n1", "S1");
            cluster.cutBoth("n0", "n1", 8);
            cluster.run(1);
            writeAndRead(cluster, "n0", "S1", "n1");
        }
    },
    /** A reader that has heard of the write asks the home, which has not, for what it may remember then. */
    HOME_HEARS_OF_A_WRITE_LATER(3) {
        @Override
        void play(SimulatedCluster cluster) {
            Roles roles = Roles.of(cluster, "S1");
            read(cluster, roles.home(), "S1");
            cluster.lateness.put(new SimulatedCluster.Link(roles.writer(), roles.home()), 0.9);
            boolean[] done = {false};
            cluster.write(roles.writer(), "S1", false, acknowledged -> done[0] = true);
            cluster.run(0.3);
            read(cluster, roles.reader(), "S1");
            while (!done[0]) {
                cluster.run(0.01);
            }
            read(cluster, roles.reader(), "S1");
            cluster.lateness.clear();
        }
    },
    /** It is cut off from the writer for so long that the reader's change is long ago. */
    HOME_DOES_NOT_HEAR_OF_A_WRITE(3) {
        @Override
        void play(SimulatedCluster cluster) {
            Roles roles = Roles.of(cluster, "I1");
            read(cluster, roles.home(), "I1");
            cluster.cutBoth(roles.writer(), roles.home(), 30);
            write(cluster, roles.writer(), "I1", 9);
            read(cluster, roles.reader(), "I1");
            cluster.cuts.clear();
            cluster.run(8);
            cluster.read(roles.reader(), "I1", false, true, () -> {});
            cluster.run(0.3);
        }
    },
    SESSION_BEGINS_DURING_A_WRITE(2) {
        @Override
        void play(SimulatedCluster cluster) {
            cluster.member("n1").isDiskSlow = false;
            cluster.member("n0").restart(0.5);
            SimulatedProcess before = cluster.member("n0").process;
            while (!cluster.member("n0").isUp() || cluster.member("n0").process == before) {
                cluster.run(0.01);
            }
            while (!cluster.member("n0").process.isReady()) {
                cluster.run(0.01);
            }
            write(cluster, "n0", "S1", 4);
        }
    };

    private final int size;

    /** The home of a key among three members, and the two others. */
    private record Roles(String home, String writer, String reader) {
        /** From now on keys have homes. */
        static Roles of(SimulatedCluster cluster, String key) {
            cluster.isShared = true;
            String home = SimulatedProcess.home(key, cluster.list);
            List<String> others =
                    cluster.list.stream().filter(name -> !name.equals(home)).toList();
            return new Roles(home, others.get(0), others.get(1));
        }
    }

    FixedSchedule(int size) {
        this.size = size;
    }

    abstract void play(SimulatedCluster cluster);

    /** Runs the schedule; returns what was violated. */
    SimulatedCluster run(Alteration alteration) {
        SimulatedCluster cluster = new SimulatedCluster(7, alteration);
        cluster.tracing = true;
        cluster.tails = false;
        cluster.lateEffects = 0;
        cluster.repetition = 0;
        cluster.list = new TreeSet<>(List.copyOf(cluster.members.keySet()).subList(0, size));
        for (String name : cluster.list) {
            cluster.member(name).list = Set.copyOf(cluster.list);
            cluster.member(name).boot();
        }
        cluster.run(6);
        write(cluster, "n0", "S1", 0.5);
        write(cluster, "n0", "I1", 0.5);
        read(cluster, "n1", "S1");
        read(cluster, "n1", "I1");
        cluster.run(3);
        cluster.member("n1").isDiskSlow = true;
        play(cluster);
        cluster.run(14);
        cluster.faultyUntil = Math.min(cluster.faultyUntil, cluster.now - 6);
        for (String key : List.of("S1", "I1")) {
            cluster.read("n1", key, false, true, () -> {});
            cluster.run(0.3);
        }
        return cluster;
    }

    private static void write(SimulatedCluster cluster, String member, String key, double wait) {
        cluster.write(member, key, false, outcome -> {});
        cluster.run(wait);
    }

    /** Writes through one member, and reads at another one as soon as that is acknowledged. */
    private static void writeAndRead(SimulatedCluster cluster, String writer, String key, String reader) {
        writeToItsEnd(cluster, writer, key);
        read(cluster, reader, key);
    }

    private static void writeToItsEnd(SimulatedCluster cluster, String member, String key) {
        boolean[] done = {false};
        cluster.write(member, key, false, acknowledged -> done[0] = true);
        while (!done[0]) {
            cluster.run(0.01);
        }
    }

    private static void read(SimulatedCluster cluster, String member, String key) {
        cluster.read(member, key, false, false, () -> {});
        cluster.run(0.3);
    }

    /** Writes I1; the backend does not respond, and the write takes effect late. */
    private static void writeUnanswered(SimulatedCluster cluster, double wait) {
        cluster.isUnanswering = true;
        write(cluster, "n0", "I1", 0.1);
        cluster.isUnanswering = false;
        cluster.run(wait - 0.1);
    }

    private static void retire(SimulatedCluster cluster, String member) {
        cluster.retired.add(member);
        cluster.member(member).kill(false);
    }

    private static void reload(SimulatedCluster cluster, String... members) {
        cluster.list = new TreeSet<>(Set.of(members));
        cluster.list.forEach(name -> cluster.member(name).reload(Set.of(members)));
    }
}
