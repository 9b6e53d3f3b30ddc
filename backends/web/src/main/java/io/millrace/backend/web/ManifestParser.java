package io.millrace.backend.web;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.kit.HttpDate;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Parses a manifest, a text file in UTF-8 that lists the keys of a web server, one a line. After the key, its size in
 * bytes and its time may follow, each after a tab. Empty lines and lines that begin with {@code #} and a blank are
 * ignored.
 */
final class ManifestParser {
    private ManifestParser() {}

    /**
     * @throws BackendException of kind {@link FailureKind#INVALID_RESPONSE} if it is no manifest: a wrong line is no
     *     reason to hide an object
     */
    static List<ListingEntry> parse(byte[] document) {
        List<ListingEntry> entries = new ArrayList<>();
        int number = 0;
        for (String line : text(document).split("\n", -1)) {
            number++;
            String stripped = line.endsWith("\r") ? line.substring(0, line.length() - 1) : line;
            if (!stripped.isEmpty() && !stripped.startsWith("# ")) {
                entries.add(entry(stripped, number));
            }
        }
        return entries;
    }

    private static String text(byte[] document) {
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(document))
                    .toString();
        } catch (CharacterCodingException e) {
            throw new BackendException(FailureKind.INVALID_RESPONSE, "the manifest is not UTF-8");
        }
    }

    private static ListingEntry entry(String line, int number) {
        String[] columns = line.split("\t", -1);
        String size = columns.length > 1 ? columns[1].strip() : "";
        String time = columns.length > 2 ? columns[2].strip() : "";
        boolean sound = columns.length <= 3
                && isKey(columns[0])
                && (size.isEmpty() || JsonIndexParser.size(size).isPresent())
                && (time.isEmpty() || HttpDate.parse(time).isPresent());
        if (!sound) {
            throw new BackendException(
                    FailureKind.INVALID_RESPONSE,
                    "line %d of the manifest is not a key, its size and its time, with tabs between".formatted(number));
        }
        return new ListingEntry(
                columns[0],
                JsonIndexParser.size(size),
                Optional.of(time).filter(text -> !text.isEmpty()).flatMap(HttpDate::parse));
    }

    private static boolean isKey(String text) {
        try {
            return !new ObjectKey(text).value().endsWith("/");
        } catch (IllegalArgumentException e) {
            return false;
        }
    }
}
