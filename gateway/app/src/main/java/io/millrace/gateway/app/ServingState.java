package io.millrace.gateway.app;

import java.util.Locale;

/** The state of the gateway as probes see it: whether it serves, and whether it should get requests. */
enum ServingState {
    STARTING,
    READY,
    /** Serves requests, but each costs its backend one, and the next start forgets what it learns. */
    METADATA_STORE_UNAVAILABLE,
    /** Serves reads and refuses writes: not all members of its cluster have it on their list, as far as it knows. */
    CLUSTER_UNCONFIRMED,
    STOPPING;

    /**
     * Returns the state.
     *
     * @param started whether S3 has ever been served
     * @param serving whether S3 is served and the gateway was not told to stop
     * @param metadata whether the metadata store can be used, or there is none
     * @param confirmed whether all members of the cluster have confirmed this one, or there is none
     */
    static ServingState of(boolean started, boolean serving, boolean metadata, boolean confirmed) {
        if (!serving) {
            return started ? STOPPING : STARTING;
        }
        if (!metadata) {
            return METADATA_STORE_UNAVAILABLE;
        }
        return confirmed ? READY : CLUSTER_UNCONFIRMED;
    }

    /** Returns whether S3 is served, or was until the process began to stop. */
    boolean isUp() {
        return this != STARTING;
    }

    /** Returns whether load balancers should send requests. */
    boolean isReady() {
        return this == READY;
    }

    String wireName() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
