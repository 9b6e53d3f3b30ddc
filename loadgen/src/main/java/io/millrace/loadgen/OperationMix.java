package io.millrace.loadgen;

import io.millrace.loadgen.client.WeightedChoice;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** The operations of a phase and their weights: {@code get}, or {@code get:90, put:10}. */
final class OperationMix {
    private final String text;
    private final WeightedChoice<OperationType> choice;

    private OperationMix(String text, WeightedChoice<OperationType> choice) {
        this.text = text;
        this.choice = choice;
    }

    /**
     * Parses a mix.
     *
     * @throws IllegalArgumentException if {@code text} is none
     */
    public static OperationMix parse(String text) {
        return new OperationMix(text.strip(), WeightedChoice.parse(text, OperationMix::type));
    }

    private static OperationType type(String name) {
        return Arrays.stream(OperationType.values())
                .filter(type -> type.name().equalsIgnoreCase(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("has an unknown operation: " + name
                        + " (there are "
                        + Arrays.stream(OperationType.values())
                                .map(type -> type.name().toLowerCase(Locale.ROOT))
                                .collect(Collectors.joining(", "))
                        + ")"));
    }

    /** Returns the operation at {@code share}, a number from 0 (inclusive) to 1 (exclusive). */
    OperationType choose(double share) {
        return choice.choose(share);
    }

    /** Returns all operations of the mix. */
    List<OperationType> types() {
        return choice.alternatives();
    }

    /** Returns whether some operation only reads. */
    boolean hasReads() {
        return types().stream().anyMatch(type -> !type.isWrite());
    }

    /** Returns the mix as it was written. */
    @Override
    public String toString() {
        return text;
    }
}
