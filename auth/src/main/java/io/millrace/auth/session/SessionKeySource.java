package io.millrace.auth.session;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/** Source of the keys of session tokens. Thread-safe. */
public interface SessionKeySource extends Supplier<List<SessionKey>> {
    /** Returns the keys, of which the first encrypts, and all decrypt; the same list until they change. */
    @Override
    List<SessionKey> get();

    /**
     * Sets the time after which a new key takes the place of one, if this source makes the keys: zero for never, empty
     * for what is usual.
     */
    void rotateEvery(Optional<Duration> time);
}
