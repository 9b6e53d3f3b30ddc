package io.millrace.gateway.cli;

import java.util.LinkedHashMap;
import java.util.Map;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * A bucket, or what begins with a prefix in it, as {@code s3://bucket/prefix}.
 *
 * @param prefix empty for the whole bucket
 */
record Location(String bucket, String prefix) {
    private static final String SCHEME = "s3://";

    /** A key may have any character, so nothing is decoded. */
    static Location parse(String text) {
        int slash = text.indexOf('/', SCHEME.length());
        if (!text.startsWith(SCHEME) || text.length() == SCHEME.length() || slash == SCHEME.length()) {
            throw new TypeConversionException(
                    "'%s' is no location: write s3://BUCKET or s3://BUCKET/PREFIX".formatted(PlainText.of(text)));
        }
        return slash < 0
                ? new Location(text.substring(SCHEME.length()), "")
                : new Location(text.substring(SCHEME.length(), slash), text.substring(slash + 1));
    }

    /** As a request names it. */
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

    /** For picocli. */
    static final class Converter implements ITypeConverter<Location> {
        @Override
        public Location convert(String text) {
            return parse(text);
        }
    }
}
