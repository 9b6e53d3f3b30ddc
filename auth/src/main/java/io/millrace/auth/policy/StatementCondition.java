package io.millrace.auth.policy;

import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * One comparison of a statement's {@code Condition}: a key with one or more values, of which any may match. Immutable.
 *
 * @param ifExists whether it also holds if the key is absent
 * @param tag name of the session tag that is compared; empty for other keys
 * @param values the values as written
 * @param tests those of the values for one caller
 */
record StatementCondition(
        ConditionOperator operator,
        boolean ifExists,
        ConditionKey key,
        String tag,
        List<PolicyText> values,
        List<Predicate<Object>> tests) {

    static StatementCondition of(
            ConditionOperator operator, boolean ifExists, ConditionKey key, String tag, List<PolicyText> values) {
        return new StatementCondition(operator, ifExists, key, tag, List.copyOf(values), List.of())
                .boundTo(PolicyText.VariableValues.NONE);
    }

    /** Returns the condition for a caller. A value with a variable that has none matches nothing. */
    StatementCondition boundTo(PolicyText.VariableValues caller) {
        List<Predicate<Object>> bound = values.stream()
                .flatMap(value -> operator.test(value, caller).stream())
                .toList();
        return new StatementCondition(operator, ifExists, key, tag, values, bound);
    }

    /** Compares what was written; the tests are made of that for one caller. */
    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof StatementCondition that
                && operator == that.operator
                && ifExists == that.ifExists
                && key == that.key
                && tag.equals(that.tag)
                && values.equals(that.values);
    }

    @Override
    public int hashCode() {
        return values.hashCode();
    }

    Stream<PolicyText.Variable> variables() {
        return values.stream().flatMap(text -> text.variables().stream());
    }

    /**
     * Returns whether the condition holds.
     *
     * @param allows whether the statement allows; what is unknown of work without a request never allows, and denies
     */
    boolean holds(EvaluationContext request, boolean allows) {
        @Nullable Object actual = key.find(request, tag);
        if (operator == ConditionOperator.NULL) {
            return matches(actual == null);
        }
        if (actual == null) {
            return ifExists || (key == ConditionKey.SOURCE_IP ? !allows : operator.isNegated());
        }
        return matches(actual) != operator.isNegated();
    }

    private boolean matches(Object actual) {
        for (int i = 0; i < tests.size(); i++) {
            if (tests.get(i).test(actual)) {
                return true;
            }
        }
        return false;
    }
}
