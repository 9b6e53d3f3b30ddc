package io.millrace.kit;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.Month;
import java.time.Year;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.time.temporal.ChronoField;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * Formats and parses HTTP dates.
 *
 * @see <a href="https://www.rfc-editor.org/rfc/rfc9110#section-5.6.7">RFC 9110, 5.6.7</a>
 */
public final class HttpDate {
    private static final DateTimeFormatter IMF_FIXDATE = DateTimeFormatter.ofPattern(
                    "EEE, dd MMM yyyy HH:mm:ss 'GMT'", Locale.ENGLISH)
            .withZone(ZoneOffset.UTC);

    /** The obsolete formats that a recipient must accept, and ISO 8601, which S3 accepts too. */
    private static final List<DateTimeFormatter> READ = List.of(
            IMF_FIXDATE,
            DateTimeFormatter.RFC_1123_DATE_TIME,
            rfc850(),
            DateTimeFormatter.ofPattern("EEE MMM ppd HH:mm:ss yyyy", Locale.ENGLISH)
                    .withZone(ZoneOffset.UTC),
            DateTimeFormatter.ISO_INSTANT);

    private static final String DAYS = "MonTueWedThuFriSatSun";
    private static final String MONTHS = "JanFebMarAprMayJunJulAugSepOctNovDec";
    private static final int LAST_YEAR = 9999;
    private static final int LENGTH = 29;

    private HttpDate() {}

    /** Formats an instant for a header, in whole seconds. */
    public static String format(Instant instant) {
        LocalDateTime time = LocalDateTime.ofEpochSecond(instant.getEpochSecond(), 0, ZoneOffset.UTC);
        if (time.getYear() < 0 || time.getYear() > LAST_YEAR) {
            return IMF_FIXDATE.format(instant);
        }
        // Without a formatter, which takes as long as verifying a signature's parts: this runs for every response.
        StringBuilder text = new StringBuilder(LENGTH);
        text.append(
                DAYS,
                3 * (time.getDayOfWeek().getValue() - 1),
                3 * time.getDayOfWeek().getValue());
        twoDigits(text.append(", "), time.getDayOfMonth());
        text.append(' ').append(MONTHS, 3 * (time.getMonthValue() - 1), 3 * time.getMonthValue());
        twoDigits(text.append(' '), time.getYear() / 100);
        twoDigits(text, time.getYear() % 100);
        twoDigits(text.append(' '), time.getHour());
        twoDigits(text.append(':'), time.getMinute());
        twoDigits(text.append(':'), time.getSecond());
        return text.append(" GMT").toString();
    }

    private static void twoDigits(StringBuilder text, int number) {
        text.append((char) ('0' + number / 10)).append((char) ('0' + number % 10));
    }

    /** Parses the date in a header; empty if it is not one, which conditions then ignore. */
    public static Optional<Instant> parse(String text) {
        Optional<Instant> usual = parseImfFixdate(text);
        if (usual.isPresent()) {
            return usual;
        }
        for (DateTimeFormatter formatter : READ) {
            try {
                return Optional.of(formatter.parse(text.strip(), Instant::from));
            } catch (DateTimeException notThisForm) {
                // The next form may fit.
            }
        }
        return Optional.empty();
    }

    /** Parses the one format that servers send, without a formatter; empty if the text is anything else. */
    private static Optional<Instant> parseImfFixdate(String text) {
        if (text.length() != LENGTH) {
            return Optional.empty();
        }
        int month = MONTHS.indexOf(text.substring(8, 11));
        int year = 100 * number(text, 12) + number(text, 14);
        int day = number(text, 5);
        int hour = number(text, 17);
        int minute = number(text, 20);
        int second = number(text, 23);
        boolean valid = Math.min(Math.min(year, hour), Math.min(minute, second)) >= 0
                && month >= 0
                && month % 3 == 0
                && day > 0
                && day <= Month.of(month / 3 + 1).length(Year.isLeap(year))
                && hour < 24
                && minute < 60
                && second < 60;
        if (!valid) {
            return Optional.empty();
        }
        Instant parsed =
                LocalDateTime.of(year, month / 3 + 1, day, hour, minute, second).toInstant(ZoneOffset.UTC);
        // The weekday, the separators and the name of the zone are right if it is written like this.
        return format(parsed).equals(text) ? Optional.of(parsed) : Optional.empty();
    }

    /** Returns the number of two digits; -1 if there is another character. */
    private static int number(String text, int at) {
        int tens = text.charAt(at) - '0';
        int ones = text.charAt(at + 1) - '0';
        return tens < 0 || tens > 9 || ones < 0 || ones > 9 ? -1 : 10 * tens + ones;
    }

    /** Returns the format with a two-digit year: the latest year at most 50 years in the future (RFC 9110). */
    private static DateTimeFormatter rfc850() {
        return new DateTimeFormatterBuilder()
                .appendPattern("EEEE, dd-MMM-")
                .appendValueReduced(
                        ChronoField.YEAR, 2, 2, LocalDate.now(ZoneOffset.UTC).minusYears(49))
                .appendPattern(" HH:mm:ss 'GMT'")
                .toFormatter(Locale.ENGLISH)
                .withZone(ZoneOffset.UTC);
    }
}
