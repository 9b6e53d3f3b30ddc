package io.millrace.auth.policy;

import io.millrace.config.problem.InvalidValueException;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.IntPredicate;
import java.util.function.Predicate;
import java.util.regex.Pattern;

/**
 * A comparison in conditions of policies.
 *
 * @see <a
 *     href="https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_elements_condition_operators.html">AWS's
 *     operators</a>
 */
enum ConditionOperator {
    STRING_EQUALS("StringEquals", Kind.STRING, false),
    STRING_NOT_EQUALS("StringNotEquals", Kind.STRING, true),
    STRING_EQUALS_IGNORE_CASE("StringEqualsIgnoreCase", Kind.STRING, false),
    STRING_NOT_EQUALS_IGNORE_CASE("StringNotEqualsIgnoreCase", Kind.STRING, true),
    STRING_LIKE("StringLike", Kind.STRING, false),
    STRING_NOT_LIKE("StringNotLike", Kind.STRING, true),
    NUMERIC_EQUALS("NumericEquals", Kind.NUMERIC, false),
    NUMERIC_NOT_EQUALS("NumericNotEquals", Kind.NUMERIC, true),
    NUMERIC_LESS_THAN("NumericLessThan", Kind.NUMERIC, false),
    NUMERIC_LESS_THAN_EQUALS("NumericLessThanEquals", Kind.NUMERIC, false),
    NUMERIC_GREATER_THAN("NumericGreaterThan", Kind.NUMERIC, false),
    NUMERIC_GREATER_THAN_EQUALS("NumericGreaterThanEquals", Kind.NUMERIC, false),
    DATE_EQUALS("DateEquals", Kind.DATE, false),
    DATE_NOT_EQUALS("DateNotEquals", Kind.DATE, true),
    DATE_LESS_THAN("DateLessThan", Kind.DATE, false),
    DATE_LESS_THAN_EQUALS("DateLessThanEquals", Kind.DATE, false),
    DATE_GREATER_THAN("DateGreaterThan", Kind.DATE, false),
    DATE_GREATER_THAN_EQUALS("DateGreaterThanEquals", Kind.DATE, false),
    BOOL("Bool", Kind.BOOL, false),
    IP_ADDRESS("IpAddress", Kind.ADDRESS, false),
    NOT_IP_ADDRESS("NotIpAddress", Kind.ADDRESS, true),
    /** Tests whether the key is absent; for keys of every kind. */
    NULL("Null", Kind.BOOL, false);

    /** The type of the values that an operator compares. */
    enum Kind {
        STRING,
        NUMERIC,
        DATE,
        BOOL,
        ADDRESS
    }

    private static final Pattern NUMBER = Pattern.compile("-?[0-9]{1,15}");

    private final String wireName;
    private final Kind kind;
    private final boolean isNegated;

    ConditionOperator(String wireName, Kind kind, boolean isNegated) {
        this.wireName = wireName;
        this.kind = kind;
        this.isNegated = isNegated;
    }

    static Optional<ConditionOperator> named(String name) {
        for (ConditionOperator operator : values()) {
            if (operator.wireName.equals(name)) {
                return Optional.of(operator);
            }
        }
        return Optional.empty();
    }

    static List<String> names() {
        List<String> names = new ArrayList<>();
        for (ConditionOperator operator : values()) {
            names.add(operator.wireName);
        }
        return names;
    }

    /** Returns whether the operator may compare this key. */
    boolean compares(ConditionKey key) {
        return this == NULL || kind == key.kind();
    }

    /** Returns whether the condition holds if no value matches. */
    boolean isNegated() {
        return isNegated;
    }

    /**
     * Returns a value of the policy as text.
     *
     * @throws InvalidValueException if it is no value for this operator
     */
    PolicyText parse(String written) throws InvalidValueException {
        if (kind == Kind.STRING) {
            return isLike() ? PolicyText.pattern(written) : PolicyText.literal(written);
        }
        PolicyText text = PolicyText.literal(written);
        if (text.hasVariables() || test(text, PolicyText.VariableValues.NONE).isEmpty()) {
            throw new InvalidValueException(
                    "has the value \"" + written + "\", which " + wireName + " cannot compare", example());
        }
        return text;
    }

    /**
     * Returns the test that a value of the policy stands for; empty if it has a variable without a value, or is
     * invalid. The test takes values of this operator's kind.
     */
    Optional<Predicate<Object>> test(PolicyText text, PolicyText.VariableValues caller) {
        if (isLike()) {
            return text.glob(caller).map(glob -> actual -> glob.matches((String) actual));
        }
        return text.value(caller).flatMap(this::test);
    }

    private Optional<Predicate<Object>> test(String value) {
        return switch (kind) {
            case STRING -> {
                boolean ignoresCase = this == STRING_EQUALS_IGNORE_CASE || this == STRING_NOT_EQUALS_IGNORE_CASE;
                yield Optional.of(
                        actual -> ignoresCase ? value.equalsIgnoreCase((String) actual) : value.equals(actual));
            }
            case NUMERIC ->
                NUMBER.matcher(value).matches() ? Optional.of(ordered(Long.valueOf(value))) : Optional.empty();
            case DATE -> date(value).map(this::ordered);
            case BOOL ->
                value.equalsIgnoreCase("true") || value.equalsIgnoreCase("false")
                        ? Optional.of(Boolean.valueOf(value)::equals)
                        : Optional.empty();
            case ADDRESS -> IpRange.find(value).map(range -> actual -> range.contains((byte[]) actual));
        };
    }

    private boolean isLike() {
        return this == STRING_LIKE || this == STRING_NOT_LIKE;
    }

    private <T extends Comparable<T>> Predicate<Object> ordered(T value) {
        IntPredicate fits = switch (this) {
            case NUMERIC_LESS_THAN, DATE_LESS_THAN -> sign -> sign > 0;
            case NUMERIC_LESS_THAN_EQUALS, DATE_LESS_THAN_EQUALS -> sign -> sign >= 0;
            case NUMERIC_GREATER_THAN, DATE_GREATER_THAN -> sign -> sign < 0;
            case NUMERIC_GREATER_THAN_EQUALS, DATE_GREATER_THAN_EQUALS -> sign -> sign <= 0;
            default -> sign -> sign == 0;
        };
        @SuppressWarnings("unchecked") // the key is of this operator's kind
        Predicate<Object> test = actual -> fits.test(value.compareTo((T) actual));
        return test;
    }

    private static Optional<Instant> date(String text) {
        try {
            if (NUMBER.matcher(text).matches()) {
                return Optional.of(Instant.ofEpochSecond(Long.parseLong(text)));
            }
            return Optional.of(
                    text.indexOf('T') < 0
                            ? LocalDate.parse(text).atStartOfDay().toInstant(ZoneOffset.UTC)
                            : OffsetDateTime.parse(text).toInstant());
        } catch (DateTimeException e) {
            return Optional.empty();
        }
    }

    private String example() {
        return switch (kind) {
            case STRING -> "write a text";
            case NUMERIC -> "write a whole number";
            case DATE -> "write a date, as 2026-12-31 or 2026-12-31T23:59:59Z";
            case BOOL -> "write true or false";
            case ADDRESS -> "write a range of addresses, as 10.0.0.0/8 or 2001:db8::/32";
        };
    }
}
