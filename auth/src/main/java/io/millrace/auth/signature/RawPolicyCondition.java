package io.millrace.auth.signature;

import io.millrace.auth.RequestVerificationException;
import io.millrace.auth.signature.FieldCondition.Test;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;

/**
 * Condition of a POST policy as written, before it is interpreted: {@code ["eq", "$key", "a"]} or, shorter,
 * {@code {"key": "a"}}.
 *
 * @param operator in lower case, as S3 takes any
 * @param operands texts, or numbers
 * @param text the condition as shown in error messages
 */
record RawPolicyCondition(String operator, List<Operand> operands, String text) {
    private static final String LENGTH_RANGE = "content-length-range";
    private static final Pattern BYTES = Pattern.compile("[0-9]{1,18}");

    /** Reads the condition at the current token of {@code json}, whose input is {@code document}. */
    static RawPolicyCondition read(JsonParser json, byte[] document) throws RequestVerificationException {
        return switch (json.currentToken()) {
            case START_OBJECT -> object(json);
            case START_ARRAY -> list(json, document);
            default -> throw PolicyErrors.because("Invalid condition test: must be a List or Object.");
        };
    }

    boolean isLengthRange() {
        return operator.equals(LENGTH_RANGE);
    }

    /** Returns the range of a condition such as {@code ["content-length-range", 1, 1000]}. */
    ContentLengthRange lengthRange() throws RequestVerificationException {
        requireOperands();
        return new ContentLengthRange(bytes(operands.get(0)), bytes(operands.get(1)));
    }

    /** Interprets any other condition as a condition on a field. */
    FieldCondition onField() throws RequestVerificationException {
        Test test = switch (operator) {
            case "eq" -> Test.EQUALS;
            case "starts-with" -> Test.STARTS_WITH;
            default -> throw PolicyErrors.because("Invalid Condition: unknown operation '" + operator + "'.");
        };
        requireOperands();
        Operand field = operands.get(0);
        if (field.isNumber() || !field.value().startsWith("$") || field.value().length() == 1) {
            throw PolicyErrors.failed(text);
        }
        String name = field.value().substring(1).toLowerCase(Locale.ROOT);
        return new FieldCondition(test, name, operands.get(1).value(), text);
    }

    private static RawPolicyCondition object(JsonParser json) throws RequestVerificationException {
        if (json.nextToken() == JsonToken.END_OBJECT) {
            throw onePropertyOnly();
        }
        String name = json.currentName();
        if (json.nextToken() != JsonToken.VALUE_STRING) {
            throw PolicyErrors.because("Invalid Simple-Condition: value must be a string.");
        }
        String value = json.getString();
        if (json.nextToken() != JsonToken.END_OBJECT) {
            throw onePropertyOnly();
        }
        List<Operand> operands = List.of(new Operand('$' + name, false), new Operand(value, false));
        String text = "[\"eq\", \"$%s\", \"%s\"]".formatted(name.toLowerCase(Locale.ROOT), value);
        return new RawPolicyCondition("eq", operands, text);
    }

    private static RequestVerificationException onePropertyOnly() {
        return PolicyErrors.because(
                "Invalid Simple-Condition: Simple-Conditions must have exactly one property specified.");
    }

    private static RawPolicyCondition list(JsonParser json, byte[] document) throws RequestVerificationException {
        int start = (int) json.currentTokenLocation().getByteOffset();
        if (json.nextToken() == JsonToken.END_ARRAY) {
            throw PolicyErrors.because("Invalid Condition: missing operation identifier.");
        }
        if (json.currentToken() != JsonToken.VALUE_STRING) {
            throw PolicyErrors.json();
        }
        String operator = json.getString().toLowerCase(Locale.ROOT);
        List<Operand> operands = new ArrayList<>();
        while (json.nextToken() != JsonToken.END_ARRAY) {
            operands.add(operand(json));
        }
        int end = (int) json.currentLocation().getByteOffset();
        return new RawPolicyCondition(
                operator, operands, new String(document, start, end - start, StandardCharsets.UTF_8));
    }

    private static Operand operand(JsonParser json) throws RequestVerificationException {
        return switch (json.currentToken()) {
            case VALUE_STRING -> new Operand(json.getString(), false);
            case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT -> new Operand(json.getString(), true);
            default -> throw PolicyErrors.json();
        };
    }

    private void requireOperands() throws RequestVerificationException {
        if (operands.size() != 2) {
            throw PolicyErrors.because("Invalid " + operator + ": wrong number of arguments.");
        }
    }

    /** Accepts numbers in quotes, as S3 does. */
    private static long bytes(Operand operand) throws RequestVerificationException {
        if (!BYTES.matcher(operand.value()).matches()) {
            throw PolicyErrors.json();
        }
        return Long.parseLong(operand.value());
    }

    /** Text, or a number as written. */
    private record Operand(String value, boolean isNumber) {}
}
