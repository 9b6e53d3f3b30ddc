package io.millrace.cache.eviction;

import java.util.ArrayList;
import java.util.List;

/**
 * Plays traces to the policy of the store, on a model of its segments, and to those of others: a program, which prints
 * a table of hits in 100 reads and of things written in 100 reads.
 */
final class Simulator {
    private Simulator() {}

    public static void main(String[] arguments) {
        boolean headed = false;
        for (Played played : traces()) {
            Judged judged = Judged.of(played.trace(), played.capacity());
            if (!headed) {
                System.out.println(judged.head());
                headed = true;
            }
            System.out.println(judged.row());
        }
        SharedTrace.print();
    }

    private record Played(Trace trace, int capacity) {}

    private static List<Played> traces() {
        List<Played> all = new ArrayList<>();
        for (int percent : new int[] {25, 50, 75}) {
            all.add(new Played(Trace.epochs(20_000, 12, 1), 20_000 * percent / 100));
        }
        all.add(new Played(Trace.windows(8, 61, 11, 2, 6, 1), 244));
        all.add(new Played(Trace.windows(16, 125, 10, 2, 6, 1), 1_000));
        all.add(new Played(Trace.windows(64, 125, 10, 8, 4, 1), 2_000));
        all.add(new Played(Trace.windows(64, 125, 10, 8, 4, 1), 4_000));
        for (double skew : new double[] {0.8, 1.0}) {
            for (int capacity : new int[] {2_000, 10_000}) {
                all.add(new Played(Trace.zipf(skew, 100_000, 2_000_000, 2), capacity));
            }
        }
        for (int capacity : new int[] {2_000, 10_000}) {
            all.add(new Played(Trace.scans(0.9, 50_000, 40_000, 20_000, 1_500_000, 3), capacity));
        }
        for (int capacity : new int[] {5_000, 15_000}) {
            all.add(new Played(Trace.mixed(0.9, 50_000, 20_000, 2_000_000, 4), capacity));
        }
        for (int capacity : new int[] {2_000, 5_000}) {
            all.add(new Played(Trace.changing(0.9, 50_000, 100_000, 3 * capacity, 6, 5), capacity));
        }
        for (int capacity : new int[] {2_000, 5_000}) {
            all.add(new Played(Trace.drifting(0.9, 50_000, 100, 1_000_000, 6), capacity));
        }
        return all;
    }
}
