package io.millrace.backend.azure;

import io.millrace.backend.spi.object.HeaderList.HeaderField;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Encodes S3's user metadata, and headers that blobs have no property for, as blob metadata, and decodes them again.
 * Names of blob metadata are identifiers, and values survive only if they are plain ASCII:
 *
 * <pre>
 *   colour: red             x-ms-meta-colour: red                          an identifier, as it is
 *   my-colour: red          x-ms-meta-millrace_n_my_2dcolour: red          the name is encoded
 *   my-colour: "grün"       x-ms-meta-millrace_v_my_2dcolour: =gr%C3%BCn   name and value are encoded
 *   the header Expires      x-ms-meta-millrace_h_expires: =Wed%2C%20...    a header of S3
 * </pre>
 *
 * Names that begin with {@code millrace_} belong to Millrace; those of others mean themselves.
 */
final class BlobMetadataCodec {
    /** The prefix of the header of each entry of blob metadata. */
    static final String PREFIX = "x-ms-meta-";

    /** The prefix of names that are not the client's. */
    static final String RESERVED = "millrace_";

    private static final String USER = "x-amz-meta-";
    private static final String NAME_ENCODED = RESERVED + "n_";
    private static final String VALUE_ENCODED = RESERVED + "v_";
    private static final String HEADER = RESERVED + "h_";
    private static final Pattern IDENTIFIER = Pattern.compile("[a-z_][a-z0-9_]*");
    private static final HexFormat HEX = HexFormat.of();

    private BlobMetadataCodec() {}

    /** Returns the blob metadata of a user metadata header. */
    static HeaderField ofUser(HeaderField header) {
        String name = header.name().substring(USER.length());
        boolean plain = isPlain(header.value());
        if (plain && IDENTIFIER.matcher(name).matches() && !name.startsWith(RESERVED)) {
            return new HeaderField(PREFIX + name, header.value());
        }
        return plain
                ? new HeaderField(PREFIX + NAME_ENCODED + encodeName(name), header.value())
                : new HeaderField(PREFIX + VALUE_ENCODED + encodeName(name), encodeValue(header.value()));
    }

    /** Returns the blob metadata of another header. */
    static HeaderField ofHeader(HeaderField header) {
        return new HeaderField(PREFIX + HEADER + encodeName(header.name()), encodeValue(header.value()));
    }

    /** Returns the S3 header of an entry of blob metadata; empty if it is Millrace's own. */
    static Optional<HeaderField> decode(HeaderField metadata) {
        String name = metadata.name().substring(PREFIX.length()).toLowerCase(Locale.ROOT);
        String value = metadata.value();
        if (name.startsWith(NAME_ENCODED)) {
            return Optional.of(new HeaderField(USER + decodeName(name.substring(NAME_ENCODED.length())), value));
        }
        if (name.startsWith(VALUE_ENCODED)) {
            return Optional.of(
                    new HeaderField(USER + decodeName(name.substring(VALUE_ENCODED.length())), decodeValue(value)));
        }
        if (name.startsWith(HEADER)) {
            return Optional.of(new HeaderField(decodeName(name.substring(HEADER.length())), decodeValue(value)));
        }
        return name.startsWith(RESERVED) ? Optional.empty() : Optional.of(new HeaderField(USER + name, value));
    }

    /** Returns the value with everything percent-encoded that is not a letter or digit, after an equals sign. */
    static String encodeValue(String value) {
        StringBuilder text = new StringBuilder("=");
        for (byte b : value.getBytes(StandardCharsets.ISO_8859_1)) {
            if (isAlphanumeric((char) b)) {
                text.append((char) b);
            } else {
                text.append('%').append(HEX.withUpperCase().toHexDigits(b));
            }
        }
        return text.toString();
    }

    /** Returns the decoded value; the value itself if it is not encoded. */
    static String decodeValue(String value) {
        try {
            return value.startsWith("=")
                    ? URLDecoder.decode(value.substring(1).replace("+", "%2B"), StandardCharsets.ISO_8859_1)
                    : value;
        } catch (IllegalArgumentException malformed) {
            return value;
        }
    }

    /** Returns the bytes of a text in UTF-8, as the characters with those numbers, which headers consist of. */
    static String asBytes(String text) {
        return new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1);
    }

    /** Reverses {@link #asBytes}. */
    static String asText(String bytes) {
        return new String(bytes.getBytes(StandardCharsets.ISO_8859_1), StandardCharsets.UTF_8);
    }

    private static String encodeName(String name) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < name.length(); i++) {
            char c = name.charAt(i);
            if (isAlphanumeric(c)) {
                text.append(c);
            } else {
                text.append('_').append(HEX.toHexDigits((byte) c));
            }
        }
        return text.toString();
    }

    private static String decodeName(String text) {
        StringBuilder name = new StringBuilder();
        for (int i = 0; i < text.length(); i++) {
            boolean escaped = text.charAt(i) == '_'
                    && i + 2 < text.length()
                    && HexFormat.isHexDigit(text.charAt(i + 1))
                    && HexFormat.isHexDigit(text.charAt(i + 2));
            if (escaped) {
                name.append((char) HexFormat.fromHexDigits(text, i + 1, i + 3));
                i += 2;
            } else {
                name.append(text.charAt(i));
            }
        }
        return name.toString();
    }

    /** Returns whether a value survives: not empty, printable ASCII, no blank at its ends and none after another. */
    private static boolean isPlain(String value) {
        return !value.isEmpty()
                && value.chars().allMatch(c -> c >= ' ' && c < 0x7F)
                && value.strip().length() == value.length()
                && !value.contains("  ");
    }

    private static boolean isAlphanumeric(char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    }
}
