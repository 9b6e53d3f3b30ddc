package io.millrace.gateway.s3.protocol;

/** An operation of any protocol, by the name that meters, logs and the console have for it. */
public interface RequestOperation {
    /** Returns the name, which no other protocol has. */
    String wireName();

    /** Returns whether it gets an object's bytes, which meters count by the result of the cache. */
    default boolean isGetOfObject() {
        return false;
    }

    /** Returns whether it is what a browser asks before a request of a script: unsigned, and no act of anybody. */
    default boolean isPreflight() {
        return false;
    }
}
