package io.millrace.gateway.post;

import io.millrace.gateway.error.S3ErrorCode;
import io.millrace.gateway.error.S3Exception;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The part of a form in front of its file's bytes. Text is that of RFC 7578: parts between boundaries, each with a few header
 * fields, of which the name counts.
 *
 * @param fields by name in lower case
 * @param bytes how long it is: there the file begins
 * @see <a href="https://www.rfc-editor.org/rfc/rfc7578">RFC 7578</a>
 */
record FormHead(Map<String, String> fields, String fileName, int bytes) {
    /** S3 takes 20 KB of fields. */
    static final int MAX_BYTES = 32 << 10;

    private static final int MAX_FIELDS = 100;
    private static final Pattern NAME = Pattern.compile("(?i)[;\\s]name=(?:\"([^\"]*)\"|([^;\\s]+))");
    private static final Pattern FILE_NAME = Pattern.compile("(?i)[;\\s]filename=(?:\"([^\"]*)\"|([^;\\s]+))");
    private static final String END_OF_HEADERS = "\r\n\r\n";

    FormHead {
        fields = Map.copyOf(fields);
    }

    /**
     * Reads what has come of a form.
     *
     * @param text one char a byte
     * @return empty if its file has not begun yet
     * @throws S3Exception if it is no form, or has more in front of its file than is taken
     */
    static Optional<FormHead> read(String text, String boundary) {
        Map<String, String> fields = new LinkedHashMap<>();
        String delimiter = "--" + boundary;
        if (text.length() >= delimiter.length() && !text.startsWith(delimiter)) {
            throw malformed("it does not begin with its boundary");
        }
        int at = delimiter.length();
        while (true) {
            int headers = text.indexOf(END_OF_HEADERS, at);
            if (headers < 0) {
                return notYet(text, at, delimiter);
            }
            String part = text.substring(at, headers);
            String name = parameter(NAME, part).toLowerCase(Locale.ROOT);
            int value = headers + END_OF_HEADERS.length();
            if (name.equals("file")) {
                return Optional.of(new FormHead(fields, utf8(parameter(FILE_NAME, part)), value));
            }
            int end = text.indexOf("\r\n" + delimiter, value);
            if (end < 0) {
                return notYet(text, value, delimiter);
            }
            fields.putIfAbsent(name, utf8(text.substring(value, end)));
            if (fields.size() > MAX_FIELDS) {
                throw malformed("it has too many fields");
            }
            at = end + 2 + delimiter.length();
        }
    }

    private static Optional<FormHead> notYet(String text, int at, String delimiter) {
        if (text.startsWith("--", at) && text.indexOf(delimiter, at) < 0 && at > delimiter.length()) {
            throw new S3Exception(S3ErrorCode.INVALID_ARGUMENT, "POST requires exactly one file upload per request.")
                    .with("ArgumentName", "file")
                    .with("ArgumentValue", "0");
        }
        if (text.length() > MAX_BYTES) {
            throw new S3Exception(
                    400,
                    "MaxPostPreDataLengthExceeded",
                    "Your POST request fields preceding the upload file were too large.");
        }
        return Optional.empty();
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

    private static String utf8(String bytes) {
        return new String(bytes.getBytes(StandardCharsets.ISO_8859_1), StandardCharsets.UTF_8);
    }

    static S3Exception malformed(String why) {
        return new S3Exception(
                400,
                "MalformedPOSTRequest",
                "The body of your POST request is not well-formed multipart/form-data: " + why);
    }
}
