package io.millrace.backend.azure;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.WriteCondition;
import io.millrace.backend.spi.object.ETag;
import io.millrace.backend.spi.object.HeaderList.HeaderField;
import java.util.List;
import java.util.Optional;

/** Turns the precondition of a write into headers, which the service evaluates in one step with the write. */
final class WriteConditionHeaders {
    private WriteConditionHeaders() {}

    /**
     * @throws BackendException of kind {@link FailureKind#PRECONDITION_FAILED} for a weak tag, which matches nothing
     */
    static List<HeaderField> of(WriteCondition condition) {
        if (condition instanceof WriteCondition.IfAbsent) {
            return List.of(new HeaderField("if-none-match", "*"));
        }
        if (condition instanceof WriteCondition.IfExists) {
            return List.of(new HeaderField("if-match", "*"));
        }
        if (condition instanceof WriteCondition.IfMatches matches) {
            if (matches.tag().weak()) {
                throw new BackendException(FailureKind.PRECONDITION_FAILED, "a weak tag matches nothing");
            }
            return List.of(new HeaderField("if-match", matches.tag().toString()));
        }
        if (condition instanceof WriteCondition.IfDiffers differs) {
            return List.of(new HeaderField("if-none-match", differs.tag().toString()));
        }
        return List.of();
    }

    /** Returns whether a condition holds for what is there now, to explain a failure. */
    static boolean holds(WriteCondition condition, Optional<ETag> current) {
        if (condition instanceof WriteCondition.IfAbsent) {
            return current.isEmpty();
        }
        if (condition instanceof WriteCondition.IfExists) {
            return current.isPresent();
        }
        if (condition instanceof WriteCondition.IfMatches matches) {
            return current.filter(matches.tag()::matchesStrongly).isPresent();
        }
        return !(condition instanceof WriteCondition.IfDiffers differs)
                || current.filter(differs.tag()::matchesWeakly).isEmpty();
    }
}
