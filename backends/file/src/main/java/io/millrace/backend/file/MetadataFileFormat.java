package io.millrace.backend.file;

import io.millrace.backend.spi.object.ETag;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ObjectKey;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.zip.CRC32C;

/**
 * Text format, version 1, of the file that stores the S3 metadata of one object:
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
 * <p>One {@code content} line describes the content of the file: size, modification time and ETag, followed by its
 * headers and, if it was uploaded in parts, their counts and sizes. A second one may describe the content that is being
 * replaced, so that a reader during a write finds the metadata of whichever file is there. Bytes outside printable
 * ASCII, and {@code %}, are written as {@code %XX} of the UTF-8, in the key the space too. {@code end} has the CRC-32C
 * of all lines above. A text in any other form counts as absent.
 */
final class MetadataFileFormat {
    private static final String FIRST_LINE = "millrace-metadata 1";
    private static final String KEY = "key ";

    /** Beginning of the line of the parts; no header name has a space. */
    private static final String PARTS = "parts ";

    private MetadataFileFormat() {}

    static String write(ObjectKey key, List<StoredContentMetadata> contents) {
        StringBuilder text = new StringBuilder(FIRST_LINE).append('\n');
        text.append(KEY).append(TextFileEscaping.encode(key.value(), ' ')).append('\n');
        for (StoredContentMetadata content : contents) {
            String tag = TextFileEscaping.encode(content.tag().opaque(), ' ');
            text.append("content %d %s %s\n".formatted(content.size(), content.modified(), tag));
            for (HeaderList.HeaderField field : content.headers().fields()) {
                text.append(TextFileEscaping.encode(field.name(), ':'))
                        .append(": ")
                        .append(TextFileEscaping.encode(field.value(), '\n'))
                        .append('\n');
            }
            if (!content.parts().isEmpty()) {
                text.append(PARTS).append(content.parts().format()).append('\n');
            }
        }
        return text + "end " + checksum(text.toString()) + "\n";
    }

    /** Parses the contents of {@code key}; empty if the text is corrupt or of another key. */
    static List<StoredContentMetadata> read(String text, ObjectKey key) {
        int end = text.lastIndexOf("end ");
        if (end < 0 || !text.substring(end).equals("end " + checksum(text.substring(0, end)) + "\n")) {
            return List.of();
        }
        Iterator<String> lines = text.substring(0, end).lines().iterator();
        boolean ours = lines.next().equals(FIRST_LINE)
                && lines.hasNext()
                && lines.next().equals(KEY + TextFileEscaping.encode(key.value(), ' '));
        return ours ? contents(lines) : List.of();
    }

    /** Returns the key of a text, even of a corrupt one; empty if it has none. */
    static Optional<ObjectKey> key(String text) {
        return text.lines()
                .skip(1)
                .findFirst()
                .filter(line -> line.startsWith(KEY))
                .map(line -> new ObjectKey(TextFileEscaping.decode(line.substring(KEY.length()))));
    }

    private static List<StoredContentMetadata> contents(Iterator<String> lines) {
        List<StoredContentMetadata> contents = new ArrayList<>();
        try {
            while (lines.hasNext()) {
                String line = lines.next();
                if (line.startsWith("content ")) {
                    contents.add(content(line.split(" ", -1)));
                } else {
                    StoredContentMetadata last = contents.remove(contents.size() - 1);
                    contents.add(line.startsWith(PARTS) ? withParts(last, line) : withField(last, line));
                }
            }
        } catch (DateTimeParseException | IndexOutOfBoundsException | IllegalArgumentException e) {
            return List.of();
        }
        return contents;
    }

    private static StoredContentMetadata content(String[] words) {
        return new StoredContentMetadata(
                Long.parseLong(words[1]),
                Instant.parse(words[2]),
                ETag.strong(TextFileEscaping.decode(words[3])),
                HeaderList.EMPTY);
    }

    private static StoredContentMetadata withField(StoredContentMetadata content, String line) {
        int colon = line.indexOf(": ");
        HeaderList more = content.headers()
                .with(
                        TextFileEscaping.decode(line.substring(0, colon)),
                        TextFileEscaping.decode(line.substring(colon + 2)));
        return new StoredContentMetadata(content.size(), content.modified(), content.tag(), more, content.parts());
    }

    private static StoredContentMetadata withParts(StoredContentMetadata content, String line) {
        PartSizes parts = PartSizes.parse(line.substring(PARTS.length()));
        return new StoredContentMetadata(content.size(), content.modified(), content.tag(), content.headers(), parts);
    }

    private static String checksum(String text) {
        CRC32C crc = new CRC32C();
        crc.update(text.getBytes(StandardCharsets.UTF_8));
        return "%08x".formatted(crc.getValue());
    }
}
