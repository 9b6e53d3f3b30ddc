package io.millrace.loadgen.client;

import org.jspecify.annotations.Nullable;

/**
 * An object of a load test.
 *
 * @param key without the bucket, not encoded
 * @param size in bytes; -1 if unknown
 * @param content the expected bytes; null if they are unknown
 */
public record TestObject(String key, long size, @Nullable SyntheticObject content) {
    /** Size of an object whose size nobody stated. */
    public static final long UNKNOWN_SIZE = -1;

    /** Returns an object whose bytes are computed from its key. */
    public static TestObject of(SyntheticObject content) {
        return new TestObject(content.key(), content.size(), content);
    }

    /** Returns an object of a user's bucket, whose bytes are unknown. */
    public static TestObject existing(String key, long size) {
        return new TestObject(key, size, null);
    }
}
