package io.millrace.cache.eviction;

import io.millrace.cache.index.Entry;
import io.millrace.cache.index.Fingerprint;

/** First in, first out, but for what was used: that is copied forward with half of its uses. */
final class SecondChance implements EvictionPolicy {
    @Override
    public boolean admits(Fingerprint key, int bytes, boolean full) {
        return true;
    }

    @Override
    public double copiedShare() {
        return 0.5;
    }

    @Override
    public boolean keeps(Fingerprint key, Entry entry) {
        return entry.uses() > 0;
    }

    @Override
    public int usesOfKept(Entry entry) {
        return entry.uses() / 2;
    }
}
