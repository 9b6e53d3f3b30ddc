package io.millrace.loadgen.client;

/** Chooses the object of each operation by the operation's number. Stateless and thread-safe. */
@FunctionalInterface
public interface ObjectChooser {
    /** Returns the index of the object for the operation with this number, from 0 on. */
    long indexFor(long number);
}
