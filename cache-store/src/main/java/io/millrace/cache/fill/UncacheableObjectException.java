package io.millrace.cache.fill;

/**
 * Thrown if an object exists at its backend but cannot be cached. The message is meant for clients: it gives the reason
 * and names no backend.
 */
public final class UncacheableObjectException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final boolean transientFailure;

    private UncacheableObjectException(String message, boolean isTransient) {
        super(message, null, false, false);
        this.transientFailure = isTransient;
    }

    /** Returns a failure that may pass, so that a retry may succeed. */
    public static UncacheableObjectException transientFailure(String why) {
        return new UncacheableObjectException(why, true);
    }

    /** Returns a failure that lasts until the object or the settings change. */
    public static UncacheableObjectException permanentFailure(String why) {
        return new UncacheableObjectException(why, false);
    }

    /** Returns whether a retry may succeed. */
    public boolean isTransient() {
        return transientFailure;
    }
}
