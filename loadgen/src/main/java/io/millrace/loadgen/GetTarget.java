package io.millrace.loadgen;

import java.util.SplittableRandom;

/** The object and byte range that one GET reads. */
record GetTarget(SyntheticObject object, ByteSpan span) {
    /**
     * Returns all of an object, or {@code most} bytes of a larger one at a pseudo-random offset seeded with
     * {@code number}.
     */
    static GetTarget of(String key, int number, long most) {
        SyntheticObject object =
                SyntheticObject.of(key).orElseThrow(() -> new IllegalArgumentException("no size at the end of " + key));
        long length = Math.min(most, object.size());
        long from = length == object.size() ? 0 : new SplittableRandom(number).nextLong(object.size() - length + 1);
        return new GetTarget(object, new ByteSpan(from, from + length));
    }

    boolean isWhole() {
        return span.length() == object.size();
    }
}
