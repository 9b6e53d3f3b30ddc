package io.millrace.auth;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Optional;

/** Formats and parses the timestamps that SigV4 signs: {@code yyyyMMdd'T'HHmmss'Z'}, UTC, whole seconds. */
public final class AmzTimestamp {
    private static final DateTimeFormatter FORMAT =
            DateTimeFormatter.ofPattern("uuuuMMdd'T'HHmmss'Z'").withZone(ZoneOffset.UTC);
    private static final int LENGTH = "yyyyMMddTHHmmssZ".length();
    private static final int DATE_LENGTH = "yyyyMMdd".length();

    private AmzTimestamp() {}

    /** Formats {@code instant}; fractions of a second are dropped. */
    public static String format(Instant instant) {
        return FORMAT.format(instant);
    }

    /** Returns the day of a timestamp, {@code yyyyMMdd}. */
    public static String date(String timestamp) {
        return timestamp.substring(0, DATE_LENGTH);
    }

    /** Parses {@code text}; empty if it has another format or is not a valid time. */
    public static Optional<Instant> parse(String text) {
        // Parsed by hand, because a DateTimeFormatter takes longer than computing the signature.
        if (text.length() != LENGTH || text.charAt(DATE_LENGTH) != 'T' || text.charAt(LENGTH - 1) != 'Z') {
            return Optional.empty();
        }
        for (int i = 0; i < LENGTH - 1; i++) {
            if (i != DATE_LENGTH && (text.charAt(i) < '0' || text.charAt(i) > '9')) {
                return Optional.empty();
            }
        }
        try {
            LocalDateTime time = LocalDateTime.of(
                    digits(text, 0, 4),
                    digits(text, 4, 6),
                    digits(text, 6, 8),
                    digits(text, 9, 11),
                    digits(text, 11, 13),
                    digits(text, 13, 15));
            return Optional.of(time.toInstant(ZoneOffset.UTC));
        } catch (DateTimeException e) {
            return Optional.empty();
        }
    }

    private static int digits(String text, int from, int to) {
        int number = 0;
        for (int i = from; i < to; i++) {
            number = number * 10 + (text.charAt(i) - '0');
        }
        return number;
    }
}
