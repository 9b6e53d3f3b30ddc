package io.millrace.gateway.cli;

import static java.util.Map.entry;

import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;

/** The labels, in plain English, of the API's fields that people are shown. */
final class FieldLabels {
    /** Labels of fields whose names, written as words, would not say what they are. */
    private static final Map<String, String> LABELS = Map.ofEntries(
            // Of an explanation.
            entry("next", "next GET"),
            entry("known", "known of the object"),
            entry("eTag", "ETag"),
            entry("freshSeconds", "fresh for"),
            entry("missingSeconds", "known to be missing for"),
            entry("recent", "last requests that were not hits"),
            entry("micros", "took"),
            // Of a disk and its scrub.
            entry("path", "folder"),
            entry("waiting", "waiting to be written"),
            entry("segments", "segment files"),
            entry("squeezedSince", "squeezed by other files since"),
            entry("lastEnded", "last pass ended"),
            entry("records", "verified records"),
            entry("readBytes", "verified bytes"),
            entry("bad", "corrupt records"),
            entry("lastBad", "last corrupt record"),
            entry("oldest", "oldest verification"),
            // Of a job.
            entry("counted", "count complete"),
            entry("underWayBytes", "bytes under way"),
            entry("bytesPerSecond", "rate"),
            entry("secondsLeft", "time left"),
            entry("s3Port", "S3 port"));

    /** A unit at the end of a name, but not the whole of it. */
    private static final Pattern UNIT = Pattern.compile("(?<=[a-z])(Seconds|Millis|Micros)$");

    private static final Pattern NEXT_WORD = Pattern.compile("(?<=[a-z0-9])(?=[A-Z])");

    private FieldLabels() {}

    /** Returns the label of a field; without the unit of its name, because its value is shown with another. */
    static String of(String field) {
        return LABELS.getOrDefault(field, words(UNIT.matcher(field).replaceFirst("")));
    }

    private static String words(String name) {
        return NEXT_WORD.matcher(name).replaceAll(" ").toLowerCase(Locale.ROOT);
    }
}
