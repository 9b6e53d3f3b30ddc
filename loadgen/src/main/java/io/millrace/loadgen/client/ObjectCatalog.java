package io.millrace.loadgen.client;

/** The objects of a load test, by index. Immutable and thread-safe. */
public interface ObjectCatalog {
    /** Returns the number of objects, at least 1. */
    long count();

    /** Returns the object at {@code index}, which is 0 or more and less than {@link #count()}. */
    TestObject get(long index);
}
