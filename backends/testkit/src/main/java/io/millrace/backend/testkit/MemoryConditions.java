package io.millrace.backend.testkit;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.Kind;
import io.millrace.backend.spi.ETag;
import io.millrace.backend.spi.ObjectKey;
import io.millrace.backend.spi.WriteCondition;
import java.util.Optional;

/** Whether a write may take place over what is there. */
final class MemoryConditions {
    private MemoryConditions() {}

    /**
     * @throws BackendException if the condition does not hold
     */
    static void check(WriteCondition condition, Optional<StoredObject> there, ObjectKey key) {
        Optional<ETag> tag = there.flatMap(object -> object.head().eTag());
        boolean needsContent =
                condition instanceof WriteCondition.Exists || condition instanceof WriteCondition.Matches;
        if (needsContent && tag.isEmpty()) {
            throw new BackendException(Kind.NO_SUCH_KEY, "there is no " + key + " that could match");
        }
        if (!holds(condition, tag)) {
            throw new BackendException(Kind.PRECONDITION_FAILED, "a condition on %s does not hold".formatted(key));
        }
    }

    private static boolean holds(WriteCondition condition, Optional<ETag> tag) {
        if (condition instanceof WriteCondition.Absent) {
            return tag.isEmpty();
        }
        if (condition instanceof WriteCondition.Matches matches) {
            return tag.map(matches.tag()::matchesStrongly).orElse(false);
        }
        return !(condition instanceof WriteCondition.Differs differs)
                || tag.map(there -> !differs.tag().matchesWeakly(there)).orElse(true);
    }
}
