package io.millrace.gateway.jobs.plan;

import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.gateway.jobs.plan.ObjectSelection.Source;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Parses single fields of a request; each method fails with an {@link InvalidJobException} that names the field. */
final class RequestFieldParser {
    /** The prefix of an object's address. */
    static final String S3 = "s3://";

    private RequestFieldParser() {}

    /** Parses {@code s3://bucket/key}. */
    static Source.Manifest manifest(String field, String text) {
        String place = text.substring(S3.length());
        int slash = Math.max(0, place.indexOf('/'));
        return new Source.Manifest(
                bucket(field, place.substring(0, slash)),
                parsed(field, place.substring(Math.min(place.length(), slash + 1)), ObjectKey::new));
    }

    static int number(String field, @Nullable Integer requested, int byDefault, int max) {
        if (requested == null) {
            return byDefault;
        }
        if (requested < 1 || requested > max) {
            throw new InvalidJobException(field, "is 1 to " + max);
        }
        return requested;
    }

    static BucketName bucket(String field, @Nullable String name) {
        if (name == null) {
            throw new InvalidJobException(field, "is missing");
        }
        if (!BucketName.isValid(name)) {
            throw new InvalidJobException(field, "is no name of a bucket");
        }
        return new BucketName(name);
    }

    static <T> Optional<T> oneOf(String field, List<T> values, Function<T, String> name, @Nullable String requested) {
        if (requested == null) {
            return Optional.empty();
        }
        for (T value : values) {
            if (name.apply(value).equals(requested.toLowerCase(Locale.ROOT))) {
                return Optional.of(value);
            }
        }
        throw new InvalidJobException(
                field,
                "is one of " + String.join(", ", values.stream().map(name).toList()));
    }

    static <T> Optional<T> optional(String field, @Nullable String text, Function<String, T> parse) {
        return text == null ? Optional.empty() : Optional.of(parsed(field, text, parse));
    }

    static <T> T parsed(String field, String text, Function<String, T> parse) {
        try {
            return parse.apply(text);
        } catch (IllegalArgumentException e) {
            throw new InvalidJobException(field, String.valueOf(e.getMessage()));
        }
    }
}
