package io.millrace.gateway.s3.object;

import io.millrace.gateway.error.S3ErrorCode;
import io.millrace.gateway.error.S3Exception;
import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Parses a browser upload form (multipart/form-data) from pieces of any size. It scans no byte twice, so a client that
 * sends one byte at a time costs no more. Not thread-safe.
 *
 * @see <a href="https://www.rfc-editor.org/rfc/rfc7578">RFC 7578</a>
 */
final class UploadFormParser {
    /** The limit of the fields, in bytes; S3 accepts 20 KB. */
    static final int MAX_BYTES = 32 << 10;

    private static final int MAX_FIELDS = 100;
    private static final Pattern NAME = Pattern.compile("(?i)[;\\s]name=(?:\"([^\"]*)\"|([^;\\s]+))");
    private static final Pattern FILE_NAME = Pattern.compile("(?i)[;\\s]filename=(?:\"([^\"]*)\"|([^;\\s]+))");
    private static final String END_OF_HEADERS = "\r\n\r\n";

    private final String delimiter;
    private final Map<String, String> fields = new LinkedHashMap<>();

    /** The received text, one char per byte; the file has to begin before this is full. */
    private final StringBuilder text = new StringBuilder();

    /** The field whose value is being read; null while the headers of a part are read. */
    private @Nullable String name;

    /** The start of that value or those headers. */
    private int begin;

    /** The end of the text that was already searched. */
    private int searched;

    UploadFormParser(String boundary) {
        this.delimiter = "--" + boundary;
    }

    /**
     * Reads the next bytes, but leaves those of the file.
     *
     * @return empty if the file has not begun yet
     * @throws S3Exception if it is not a form, or its fields exceed the limit
     */
    Optional<UploadFormFields> read(ByteBuf piece) {
        int before = text.length();
        int taken = Math.min(piece.readableBytes(), MAX_BYTES - before);
        text.append(piece.toString(piece.readerIndex(), taken, StandardCharsets.ISO_8859_1));
        Optional<UploadFormFields> head = hasBegun() ? parts() : Optional.empty();
        piece.skipBytes(head.map(read -> read.bytes() - before).orElse(taken));
        if (head.isEmpty() && piece.isReadable()) {
            throw new S3Exception(
                    400,
                    "MaxPostPreDataLengthExceeded",
                    "Your POST request fields preceding the upload file were too large.");
        }
        return head;
    }

    private boolean hasBegun() {
        if (begin == 0 && text.length() >= delimiter.length()) {
            if (text.indexOf(delimiter) != 0) {
                throw UploadFormFields.malformed("it does not begin with its boundary");
            }
            next(null, delimiter.length());
        }
        return begin > 0;
    }

    private Optional<UploadFormFields> parts() {
        while (true) {
            int end = name == null ? endOfHeaders() : search("\r\n" + delimiter);
            if (end < 0) {
                return Optional.empty();
            }
            String read = text.substring(begin, end);
            if (name != null) {
                addField(name, read);
                next(null, end + 2 + delimiter.length());
                continue;
            }
            String field = utf8("a name", parameter(NAME, read)).toLowerCase(Locale.ROOT);
            next(field, end + END_OF_HEADERS.length());
            if (field.equals("file")) {
                return Optional.of(
                        new UploadFormFields(fields, utf8("the file's name", parameter(FILE_NAME, read)), begin));
            }
        }
    }

    private void next(@Nullable String field, int at) {
        name = field;
        begin = at;
        searched = at;
    }

    private int endOfHeaders() {
        if (text.length() >= begin + 2 && text.charAt(begin) == '-' && text.charAt(begin + 1) == '-') {
            throw new S3Exception(S3ErrorCode.INVALID_ARGUMENT, "POST requires exactly one file upload per request.")
                    .with("ArgumentName", "file")
                    .with("ArgumentValue", "0");
        }
        return search(END_OF_HEADERS);
    }

    private int search(String what) {
        int found = text.indexOf(what, searched);
        searched = Math.max(searched, text.length() - what.length() + 1);
        return found;
    }

    private void addField(String field, String value) {
        fields.putIfAbsent(field, utf8("the field " + field, value));
        if (fields.size() > MAX_FIELDS) {
            throw UploadFormFields.malformed("it has too many fields");
        }
    }

    private static String parameter(Pattern pattern, String headers) {
        for (String line : headers.split("\r\n", -1)) {
            if (line.regionMatches(true, 0, "content-disposition:", 0, 20)) {
                Matcher found = pattern.matcher(line);
                if (found.find()) {
                    return found.group(1) == null ? found.group(2) : found.group(1);
                }
            }
        }
        return "";
    }

    /** Decodes UTF-8 strictly: with replacement characters, two keys could become the same. */
    private static String utf8(String what, String bytes) {
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes.getBytes(StandardCharsets.ISO_8859_1)))
                    .toString();
        } catch (CharacterCodingException e) {
            throw UploadFormFields.malformed(what + " is no UTF-8");
        }
    }
}
