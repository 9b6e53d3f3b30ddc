package io.millrace.gateway.cli;

import java.util.LinkedHashMap;
import java.util.Map;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * A bucket and a prefix or key in it, written {@code s3://bucket/prefix}.
 *
 * @param prefix empty for the whole bucket
 */
record S3Location(String bucket, String prefix) {
    private static final String SCHEME = "s3://";

    /** Parses a location. Nothing is decoded, because a key may contain any character. */
    static S3Location parse(String text) {
        return parse(text, "s3://BUCKET or s3://BUCKET/PREFIX");
    }

    private static S3Location parse(String text, String form) {
        int slash = text.indexOf('/', SCHEME.length());
        if (!text.startsWith(SCHEME) || text.length() == SCHEME.length() || slash == SCHEME.length()) {
            throw new TypeConversionException(
                    "'%s' is not a location: write %s".formatted(TerminalEscaper.escape(text), form));
        }
        return slash < 0
                ? new S3Location(text.substring(SCHEME.length()), "")
                : new S3Location(text.substring(SCHEME.length(), slash), text.substring(slash + 1));
    }

    /** Returns the fields that name it in a request. */
    Map<String, Object> json() {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("bucket", bucket);
        if (!prefix.isEmpty()) {
            fields.put("prefix", prefix);
        }
        return fields;
    }

    @Override
    public String toString() {
        return SCHEME + bucket + (prefix.isEmpty() ? "" : "/" + prefix);
    }

    /** Converts arguments to locations for picocli. */
    static final class Converter implements ITypeConverter<S3Location> {
        @Override
        public S3Location convert(String text) {
            return parse(text);
        }
    }

    /** Converts arguments to the locations of single objects for picocli. */
    static final class ObjectConverter implements ITypeConverter<S3Location> {
        @Override
        public S3Location convert(String text) {
            return parse(text, "s3://BUCKET/KEY");
        }
    }
}
