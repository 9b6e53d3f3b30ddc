package io.millrace.gateway.jobs;

import java.util.Optional;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The byte range of a partial response.
 *
 * @param total bytes of the whole; empty if unknown
 */
record ContentRange(long first, long last, OptionalLong total) {
    private static final Pattern FIELD = Pattern.compile("(?i)bytes ([0-9]{1,18})-([0-9]{1,18})/([0-9]{1,18}|\\*)");

    static Optional<ContentRange> parse(String field) {
        Matcher parts = FIELD.matcher(field.strip());
        if (!parts.matches()) {
            return Optional.empty();
        }
        long first = Long.parseLong(parts.group(1));
        long last = Long.parseLong(parts.group(2));
        OptionalLong total =
                parts.group(3).equals("*") ? OptionalLong.empty() : OptionalLong.of(Long.parseLong(parts.group(3)));
        return last < first || total.orElse(Long.MAX_VALUE) <= last
                ? Optional.empty()
                : Optional.of(new ContentRange(first, last, total));
    }
}
