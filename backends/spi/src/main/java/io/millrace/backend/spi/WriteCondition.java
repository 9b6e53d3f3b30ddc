package io.millrace.backend.spi;

import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.object.ETag;
import io.millrace.backend.spi.object.ObjectRef;
import java.util.Optional;

/**
 * The precondition of a write ({@code If-Match}, {@code If-None-Match} or none), which the backend evaluates atomically
 * with it. If it does not hold, the write fails with {@link BackendException.FailureKind#PRECONDITION_FAILED}.
 *
 * @see <a href="https://docs.aws.amazon.com/AmazonS3/latest/userguide/conditional-writes.html">Conditional writes</a>
 */
public sealed interface WriteCondition {
    /** The unconditional write. */
    WriteCondition ALWAYS = new Unconditional();

    /**
     * Checks a condition, for backends without a server that does. Static, since an interface with methods of its own
     * would be initialized with each of its records, of which it makes one.
     *
     * @param current the tag of the object that is there; empty if there is none
     * @throws BackendException if it does not hold
     */
    static void require(WriteCondition condition, ObjectRef object, Optional<ETag> current) {
        if ((condition instanceof IfExists || condition instanceof IfMatches) && current.isEmpty()) {
            throw new BackendException(FailureKind.NO_SUCH_KEY, "no object " + object);
        }
        if (!holds(condition, current)) {
            throw new BackendException(
                    FailureKind.PRECONDITION_FAILED,
                    "the condition %s on %s does not hold".formatted(condition, object));
        }
    }

    private static boolean holds(WriteCondition condition, Optional<ETag> current) {
        if (condition instanceof IfAbsent) {
            return current.isEmpty();
        }
        if (condition instanceof IfMatches matches) {
            return current.filter(matches.tag()::matchesStrongly).isPresent();
        }
        return !(condition instanceof IfDiffers differs)
                || current.filter(differs.tag()::matchesWeakly).isEmpty();
    }

    /** No condition. */
    record Unconditional() implements WriteCondition {}

    /** Holds if the key does not exist ({@code If-None-Match: *}). */
    record IfAbsent() implements WriteCondition {}

    /**
     * Holds if the key exists ({@code If-Match: *}); a missing key may also fail with {@link
     * BackendException.FailureKind#NO_SUCH_KEY}.
     */
    record IfExists() implements WriteCondition {}

    /**
     * Holds if the key has this tag ({@code If-Match}); a missing key fails with {@link
     * BackendException.FailureKind#NO_SUCH_KEY}.
     */
    record IfMatches(ETag tag) implements WriteCondition {}

    /**
     * Holds if the key has another tag or does not exist ({@code If-None-Match} with a tag); few servers support it.
     */
    record IfDiffers(ETag tag) implements WriteCondition {}
}
