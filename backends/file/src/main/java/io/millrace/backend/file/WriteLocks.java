package io.millrace.backend.file;

import io.millrace.backend.spi.object.ObjectRef;
import java.io.IOException;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.stream.IntStream;

/**
 * In-process locks that serialize writes to the same bucket, key or directory tree. Taken in this order: buckets, then
 * a key, then the tree.
 *
 * <p>A key's lock is held from the check of the condition until the new content is on the disk, so that both are one
 * step; keys share locks by their hash. The tree's lock is held for renames and new folders only, because keys share
 * their folders.
 */
final class WriteLocks {
    /** Number of key locks: so many that two concurrent writers hardly ever share one. */
    private static final int STRIPES = 1024;

    private final ReentrantReadWriteLock buckets = new ReentrantReadWriteLock();
    private final ReentrantLock[] keys =
            IntStream.range(0, STRIPES).mapToObj(i -> new ReentrantLock()).toArray(ReentrantLock[]::new);
    private final ReentrantLock tree = new ReentrantLock();

    /** An action on the disk that runs under a lock. */
    @FunctionalInterface
    interface LockedAction<T> {
        T execute() throws IOException;
    }

    /** Runs the step while no bucket is deleted. */
    <T> T withSharedBucketLock(LockedAction<T> step) throws IOException {
        return withLock(buckets.readLock(), step);
    }

    /** Runs the step while nothing is written in any bucket. */
    <T> T withExclusiveBucketLock(LockedAction<T> step) throws IOException {
        return withLock(buckets.writeLock(), step);
    }

    /** Runs the step while no other thread writes this key. */
    <T> T withKeyLock(ObjectRef object, LockedAction<T> step) throws IOException {
        return withLock(keys[Math.floorMod(object.hashCode(), STRIPES)], step);
    }

    /** Runs the step while no other thread changes names. */
    <T> T withTreeLock(LockedAction<T> step) throws IOException {
        return withLock(tree, step);
    }

    private static <T> T withLock(Lock lock, LockedAction<T> step) throws IOException {
        lock.lock();
        try {
            return step.execute();
        } finally {
            lock.unlock();
        }
    }
}
