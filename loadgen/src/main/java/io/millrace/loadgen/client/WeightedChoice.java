package io.millrace.loadgen.client;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/**
 * A choice between alternatives in proportion to their weights, written {@code get:90, put:10}. One alternative needs
 * no weight. Immutable.
 *
 * @param <T> type of the alternatives
 */
public final class WeightedChoice<T> {
    private final List<T> alternatives;
    private final double[] limits;

    private WeightedChoice(List<T> alternatives, double[] limits) {
        this.alternatives = List.copyOf(alternatives);
        this.limits = limits;
    }

    /**
     * Parses a list of alternatives with weights.
     *
     * @param parser parses one alternative; its {@link IllegalArgumentException} is passed on
     * @throws IllegalArgumentException if {@code text} is no such list
     */
    public static <T> WeightedChoice<T> parse(String text, Function<String, T> parser) {
        String[] entries = text.split(",", -1);
        List<T> alternatives = new ArrayList<>();
        double[] limits = new double[entries.length];
        double total = 0;
        for (int i = 0; i < entries.length; i++) {
            String entry = entries[i].strip();
            int colon = entry.lastIndexOf(':');
            if (colon < 0 && entries.length > 1) {
                throw new IllegalArgumentException("has an entry without a weight: " + entry);
            }
            alternatives.add(
                    parser.apply(colon < 0 ? entry : entry.substring(0, colon).strip()));
            total += colon < 0 ? 1 : weight(entry.substring(colon + 1).strip());
            limits[i] = total;
        }
        if (total == 0) {
            throw new IllegalArgumentException("has no weight above 0");
        }
        for (int i = 0; i < limits.length; i++) {
            limits[i] /= total;
        }
        return new WeightedChoice<>(alternatives, limits);
    }

    private static double weight(String text) {
        if (!text.matches("[0-9]{1,9}(\\.[0-9]{1,9})?")) {
            throw new IllegalArgumentException("has a weight that is no number: " + text);
        }
        return Double.parseDouble(text);
    }

    /** Returns the alternative at {@code share}, a number from 0 (inclusive) to 1 (exclusive). */
    public T choose(double share) {
        int index = 0;
        while (index < limits.length - 1 && share >= limits[index]) {
            index++;
        }
        return alternatives.get(index);
    }

    /** Returns all alternatives in the order in which they were written. */
    public List<T> alternatives() {
        return alternatives;
    }
}
