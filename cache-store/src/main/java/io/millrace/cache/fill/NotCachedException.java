package io.millrace.cache.fill;

/**
 * An object does not come into the cache though its backend has it. The message says why, to whoever wanted it there: it names no
 * backend.
 */
public final class NotCachedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final boolean passing;

    private NotCachedException(String message, boolean passing) {
        super(message, null, false, false);
        this.passing = passing;
    }

    /** As things are now: another try may help. */
    public static NotCachedException now(String why) {
        return new NotCachedException(why, true);
    }

    /** As the object and the settings are. */
    public static NotCachedException ever(String why) {
        return new NotCachedException(why, false);
    }

    /** Whether another try may help. */
    public boolean isPassing() {
        return passing;
    }
}
