package io.millrace.gateway.control;

import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import tools.jackson.core.JacksonException;
import tools.jackson.core.exc.StreamConstraintsException;
import tools.jackson.core.exc.StreamReadException;
import tools.jackson.databind.DatabindException;
import tools.jackson.databind.exc.MismatchedInputException;
import tools.jackson.databind.exc.UnrecognizedPropertyException;

/**
 * Translates Jackson's exceptions to problems in the terms of the API, without the class names in Jackson's own
 * messages.
 */
final class JsonErrorTranslator {
    /** Longest field name of a client that a message repeats. */
    private static final int LONGEST_NAME = 100;

    private JsonErrorTranslator() {}

    static ApiProblem toProblem(JacksonException fault) {
        return field(fault.getPath())
                .map(field ->
                        ApiProblem.of(HttpStatus.BAD_REQUEST, detail(fault)).at(field))
                .orElseGet(() -> ApiProblem.of(HttpStatus.BAD_REQUEST, ofAll(fault)));
    }

    private static String ofAll(JacksonException fault) {
        return fault instanceof DatabindException
                ? "The body is not of the form that this request has; /api/v1/openapi.json tells it."
                : detail(fault);
    }

    private static String detail(JacksonException fault) {
        if (fault instanceof UnrecognizedPropertyException) {
            return "is no field of this request";
        }
        if (fault instanceof StreamConstraintsException) {
            return "The body is nested too deeply, or a name, text or number in it is too long.";
        }
        if (fault instanceof StreamReadException) {
            return "The body is no JSON, or a name stands in it twice: line %d, column %d."
                    .formatted(
                            fault.getLocation().getLineNr(), fault.getLocation().getColumnNr());
        }
        return fault instanceof MismatchedInputException mismatch
                ? "is to be " + wanted(mismatch.getTargetType())
                : "is not of the right form";
    }

    private static String wanted(@Nullable Class<?> type) {
        if (type == null) {
            return "of another type";
        }
        if (type == String.class) {
            return "a text";
        }
        if (type == Instant.class) {
            return "a time, as 2026-01-31T12:00:00Z";
        }
        if (type == Boolean.class) {
            return "true or false";
        }
        if (Number.class.isAssignableFrom(type)) {
            return "a whole number of at most %,d".formatted(Integer.MAX_VALUE).toLowerCase(Locale.ROOT);
        }
        return List.class.isAssignableFrom(type) ? "a list of texts" : "an object of named fields";
    }

    /** The path of the wrong field, as {@code from.keys[3]}. */
    private static Optional<String> field(List<JacksonException.Reference> path) {
        StringBuilder field = new StringBuilder();
        for (JacksonException.Reference step : path) {
            @Nullable String name = step.getPropertyName();
            if (name == null) {
                field.append('[').append(step.getIndex()).append(']');
            } else {
                field.append(field.isEmpty() ? "" : ".")
                        .append(name.length() > LONGEST_NAME ? name.substring(0, LONGEST_NAME) + "..." : name);
            }
        }
        return field.isEmpty() ? Optional.empty() : Optional.of(field.toString());
    }
}
