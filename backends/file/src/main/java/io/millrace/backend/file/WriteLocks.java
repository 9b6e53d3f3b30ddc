package io.millrace.backend.file;

import io.millrace.backend.spi.ObjectRef;
import java.io.IOException;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.stream.IntStream;

/**
 * What keeps writers of one process apart. Taken in this order: a bucket's life, then a key, then the tree.
 *
 * <p>A key's lock is held from the look at what is there until the new content is on the disk, so that a condition and the
 * write under it are one step; keys share locks by their hash. The tree's lock is held for renames and new folders alone,
 * since keys meet in their folders.
 */
final class WriteLocks {
    /** So many that two keys of the writers under way hardly ever share one. */
    private static final int STRIPES = 1024;

    private final ReentrantReadWriteLock bucketLife = new ReentrantReadWriteLock();
    private final ReentrantLock[] keys =
            IntStream.range(0, STRIPES).mapToObj(i -> new ReentrantLock()).toArray(ReentrantLock[]::new);
    private final ReentrantLock tree = new ReentrantLock();

    /** A step on the disk. */
    @FunctionalInterface
    interface Step<T> {
        T run() throws IOException;
    }

    /** While no bucket is deleted. */
    <T> T inBuckets(Step<T> step) throws IOException {
        return under(bucketLife.readLock(), step);
    }

    /** While nothing is written in any bucket. */
    <T> T alone(Step<T> step) throws IOException {
        return under(bucketLife.writeLock(), step);
    }

    /** While nobody else writes this key. */
    <T> T onKey(ObjectRef object, Step<T> step) throws IOException {
        return under(keys[Math.floorMod(object.hashCode(), STRIPES)], step);
    }

    /** While nobody else changes names. */
    <T> T onTree(Step<T> step) throws IOException {
        return under(tree, step);
    }

    private static <T> T under(Lock lock, Step<T> step) throws IOException {
        lock.lock();
        try {
            return step.run();
        } finally {
            lock.unlock();
        }
    }
}
