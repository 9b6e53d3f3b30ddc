package io.millrace.backend.testkit.memory;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.WriteCondition;
import io.millrace.backend.spi.object.ETag;
import io.millrace.backend.spi.object.ObjectKey;
import java.util.Optional;

/** Checks the condition of a write against the current object. */
final class MemoryWriteConditions {
    private MemoryWriteConditions() {}

    /**
     * @throws BackendException if the condition does not hold
     */
    static void check(WriteCondition condition, Optional<MemoryObject> there, ObjectKey key) {
        Optional<ETag> tag = there.flatMap(object -> object.head().eTag());
        boolean needsContent =
                condition instanceof WriteCondition.IfExists || condition instanceof WriteCondition.IfMatches;
        if (needsContent && tag.isEmpty()) {
            throw new BackendException(FailureKind.NO_SUCH_KEY, "there is no " + key + " that could match");
        }
        if (!holds(condition, tag)) {
            throw new BackendException(
                    FailureKind.PRECONDITION_FAILED, "a condition on %s does not hold".formatted(key));
        }
    }

    private static boolean holds(WriteCondition condition, Optional<ETag> tag) {
        if (condition instanceof WriteCondition.IfAbsent) {
            return tag.isEmpty();
        }
        if (condition instanceof WriteCondition.IfMatches matches) {
            return tag.map(matches.tag()::matchesStrongly).orElse(false);
        }
        return !(condition instanceof WriteCondition.IfDiffers differs)
                || tag.map(there -> !differs.tag().matchesWeakly(there)).orElse(true);
    }
}
