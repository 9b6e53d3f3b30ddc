package io.millrace.auth.sigv4;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Optional;

/** The one form of time SigV4 signs: {@code yyyyMMdd'T'HHmmss'Z'}, UTC, whole seconds. */
public final class AmzTimestamp {
    private static final DateTimeFormatter FORMAT =
            DateTimeFormatter.ofPattern("uuuuMMdd'T'HHmmss'Z'").withZone(ZoneOffset.UTC);
    private static final int LENGTH = "yyyyMMddTHHmmssZ".length();
    private static final int DATE_LENGTH = "yyyyMMdd".length();

    private AmzTimestamp() {}

    /** {@code instant} in that form; fractions of a second are dropped. */
    public static String format(Instant instant) {
        return FORMAT.format(instant);
    }

    /** The day of a timestamp of that form, {@code yyyyMMdd}. */
    public static String date(String timestamp) {
        return timestamp.substring(0, DATE_LENGTH);
    }

    /** The moment {@code text} names; empty if it is not of exactly that form or no real time. */
    public static Optional<Instant> parse(String text) {
        // By hand: a DateTimeFormatter costs more than the signature it is read for.
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
