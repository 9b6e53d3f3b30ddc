package io.millrace.cache.fill;

/**
 * An object does not come into the cache though its backend has it. The message says why, to whoever wanted it there: it names no
 * backend.
 */
public final class NotCachedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final boolean transientFailure;

    private NotCachedException(String message, boolean passing) {
        super(message, null, false, false);
        this.transientFailure = passing;
    }

    /** As things are now: another try may help. */
    public static NotCachedException transientFailure(String why) {
        return new NotCachedException(why, true);
    }

    /** As the object and the settings are. */
    public static NotCachedException permanentFailure(String why) {
        return new NotCachedException(why, false);
    }

    /** Whether another try may help. */
    public boolean isTransient() {
        return transientFailure;
    }
}
