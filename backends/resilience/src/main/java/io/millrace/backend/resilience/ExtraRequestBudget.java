package io.millrace.backend.resilience;

/**
 * Limits retries and hedged requests to a fraction of the requests that clients cause. Each request of a client earns
 * that fraction of an extra one, and what is saved up is bounded. Thread-safe.
 */
final class ExtraRequestBudget {
    /** Extra requests that may be saved up; so many are there at the start, for backends with few requests. */
    static final int RESERVE = 50;

    private final double share;
    private double saved = RESERVE;

    /**
     * @param share extra requests for each request of a client, 0 to 1
     */
    ExtraRequestBudget(double share) {
        this.share = share;
    }

    /** Counts a request of a client. */
    synchronized void earn() {
        saved = Math.min(RESERVE, saved + share);
    }

    /** Takes an extra request; returns false if there is none. */
    synchronized boolean spend() {
        if (saved < 1) {
            return false;
        }
        saved--;
        return true;
    }
}
