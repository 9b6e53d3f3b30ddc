package io.millrace.gateway.jobs.store;

import java.util.Locale;

/** How far a job is. */
public enum JobState {
    /** Written down, and not begun. */
    SUBMITTED,
    /** At work, while what it has to do is still being counted. */
    PLANNING,
    /** At work. */
    RUNNING,
    /** Stopped by somebody, and the last bytes are on their way. */
    PAUSING,
    /** Stopped by somebody; it can be resumed. */
    PAUSED,
    /** Every object is done. */
    DONE,
    /** Every object had its turn, and some of them failed. */
    DONE_WITH_FAILURES,
    /** It could not go on; it can be resumed when what its message tells is mended. */
    FAILED,
    /** Given up by somebody; the last bytes are on their way, or what it has begun at backends is being given up. */
    CANCELLING,
    /** Given up by somebody. */
    CANCELLED;

    /** As it is told: {@code done-with-failures}. */
    public String text() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** Whether its state will change without anybody's help. */
    public boolean isActive() {
        return isToWork() || this == PAUSING || this == CANCELLING;
    }

    /** Whether it works, or will. */
    public boolean isToWork() {
        return this == SUBMITTED || this == PLANNING || this == RUNNING;
    }

    /** Whether it will never work again. */
    public boolean isOver() {
        return this == DONE || this == DONE_WITH_FAILURES || this == CANCELLED;
    }
}
