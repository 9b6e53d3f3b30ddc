package io.millrace.backend.file;

import io.millrace.backend.spi.ETag;
import io.millrace.backend.spi.HeaderList;
import io.millrace.backend.spi.ObjectKey;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.zip.CRC32C;

/**
 * The text of a metadata file, version 1:
 *
 * <pre>
 *   millrace-metadata 1
 *   key train/a%20b/%C3%A4.jpg
 *   content 48213 2026-11-20T21:30:02.519331902Z 5d41402abc4b2a76b9719d911017c592
 *   content-type: image/jpeg
 *   x-amz-meta-owner: Anna
 *   parts 9*5242880 1*77
 *   end 8f2a11c0
 * </pre>
 *
 * <p>One {@code content} for what is in the file, with its size, its time of modification, its tag and below it its headers
 * and, if it was uploaded in parts, their counts and sizes; and perhaps one for what is being replaced, so that whoever reads
 * while a write goes on finds the right one, whichever file is there. Everything outside printable ASCII, and {@code %}, is written as {@code %XX} of its UTF-8; in the key the
 * space too. {@code end} has the CRC-32C of all lines above. A text that is not exactly this is taken as none.
 */
final class MetadataText {
    private static final String FIRST_LINE = "millrace-metadata 1";
    private static final String KEY = "key ";

    /** No name of a header has a space, so this is none. */
    private static final String PARTS = "parts ";

    private MetadataText() {}

    static String write(ObjectKey key, List<StoredContent> contents) {
        StringBuilder text = new StringBuilder(FIRST_LINE).append('\n');
        text.append(KEY).append(PercentText.encode(key.value(), ' ')).append('\n');
        for (StoredContent content : contents) {
            String tag = PercentText.encode(content.tag().opaque(), ' ');
            text.append("content %d %s %s\n".formatted(content.size(), content.modified(), tag));
            for (HeaderList.Field field : content.headers().fields()) {
                text.append(PercentText.encode(field.name(), ':'))
                        .append(": ")
                        .append(PercentText.encode(field.value(), '\n'))
                        .append('\n');
            }
            if (!content.parts().isEmpty()) {
                text.append(PARTS).append(content.parts().text()).append('\n');
            }
        }
        return text + "end " + sum(text.toString()) + "\n";
    }

    /** What is known of the contents of {@code key}; nothing if the text is another key's or damaged. */
    static List<StoredContent> read(String text, ObjectKey key) {
        int end = text.lastIndexOf("end ");
        if (end < 0 || !text.substring(end).equals("end " + sum(text.substring(0, end)) + "\n")) {
            return List.of();
        }
        Iterator<String> lines = text.substring(0, end).lines().iterator();
        boolean ours = lines.next().equals(FIRST_LINE)
                && lines.hasNext()
                && lines.next().equals(KEY + PercentText.encode(key.value(), ' '));
        return ours ? contents(lines) : List.of();
    }

    /** Whose text this is, whether it is damaged or not; empty if it says nothing about that. */
    static Optional<ObjectKey> key(String text) {
        return text.lines()
                .skip(1)
                .findFirst()
                .filter(line -> line.startsWith(KEY))
                .map(line -> new ObjectKey(PercentText.decode(line.substring(KEY.length()))));
    }

    private static List<StoredContent> contents(Iterator<String> lines) {
        List<StoredContent> contents = new ArrayList<>();
        try {
            while (lines.hasNext()) {
                String line = lines.next();
                if (line.startsWith("content ")) {
                    contents.add(content(line.split(" ", -1)));
                } else {
                    StoredContent last = contents.remove(contents.size() - 1);
                    contents.add(line.startsWith(PARTS) ? withParts(last, line) : withField(last, line));
                }
            }
        } catch (DateTimeParseException | IndexOutOfBoundsException | IllegalArgumentException e) {
            return List.of();
        }
        return contents;
    }

    private static StoredContent content(String[] words) {
        return new StoredContent(
                Long.parseLong(words[1]),
                Instant.parse(words[2]),
                ETag.strong(PercentText.decode(words[3])),
                HeaderList.EMPTY);
    }

    private static StoredContent withField(StoredContent content, String line) {
        int colon = line.indexOf(": ");
        HeaderList more = content.headers()
                .with(PercentText.decode(line.substring(0, colon)), PercentText.decode(line.substring(colon + 2)));
        return new StoredContent(content.size(), content.modified(), content.tag(), more, content.parts());
    }

    private static StoredContent withParts(StoredContent content, String line) {
        PartSizes parts = PartSizes.parse(line.substring(PARTS.length()));
        return new StoredContent(content.size(), content.modified(), content.tag(), content.headers(), parts);
    }

    private static String sum(String text) {
        CRC32C crc = new CRC32C();
        crc.update(text.getBytes(StandardCharsets.UTF_8));
        return "%08x".formatted(crc.getValue());
    }
}
