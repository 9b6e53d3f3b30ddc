package io.millrace.backend.resilience;

import io.millrace.backend.spi.BackendException;

/** The tries of one call that were sent, and what may have come of them. Thread-safe. */
final class SentTries {
    private int underWay;
    private boolean mayBeProcessed;

    synchronized void sent() {
        underWay++;
    }

    /** Records the failure of one. */
    synchronized void failed(Throwable failure) {
        underWay--;
        mayBeProcessed |= !(failure instanceof BackendException known && known.isUnprocessed());
    }

    /** Returns whether the backend, and not a bound of the gateway, is what the call waits for. */
    synchronized boolean isAnyUnderWay() {
        return underWay > 0;
    }

    /** Returns the failure of the call: the backend may have acted on an earlier try, if not on the last one. */
    synchronized BackendException ofCall(BackendException last) {
        return mayBeProcessed && last.isUnprocessed() ? last.asPerhapsProcessed() : last;
    }
}
