package io.millrace.cache.eviction;

import io.millrace.cache.index.Fingerprint;
import java.util.SplittableRandom;

/** The model of a disk that ghosts have, with things of one byte. */
final class LogModel implements Contender {
    private final SimulatedDisk model;
    private final Fingerprint[] keys;

    /**
     * @param capacity how many things it holds
     * @param segments in how many segments
     */
    LogModel(AdmissionAndEvictionPolicy policy, int capacity, int segments, int things) {
        this.model = new SimulatedDisk(policy, capacity / segments, segments);
        this.keys = keys(things);
    }

    private static Fingerprint[] keys(int things) {
        SplittableRandom random = new SplittableRandom(things);
        Fingerprint[] keys = new Fingerprint[things];
        for (int i = 0; i < things; i++) {
            keys[i] = new Fingerprint(random.nextLong(), random.nextLong());
        }
        return keys;
    }

    @Override
    public boolean read(int thing) {
        return model.read(keys[thing], 1);
    }

    @Override
    public long written() {
        return model.written();
    }
}
