package io.millrace.backend.file;

import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Objects;
import java.util.Optional;

/**
 * Converts between text and file names in UTF-8, independent of the locale.
 *
 * <p>Java 17 encodes file names in the locale's charset, and no command-line option changes that: under {@code LANG=C},
 * as in many containers, a name with an umlaut cannot be opened at all. A {@code file:} URI, however, carries the bytes
 * of a name unchanged in both directions, so this class uses one for every name that the locale does not encode as
 * UTF-8.
 */
final class Utf8FileNames {
    private static final boolean LOCALE_IS_UTF8 = isUtf8(System.getProperty("sun.jnu.encoding", ""));
    private static final char REPLACEMENT = '\uFFFD';

    private Utf8FileNames() {}

    /** Returns the path of {@code name} in {@code folder}. The name is a single component and not empty. */
    static Path resolve(Path folder, String name) {
        return folder.resolve(
                LOCALE_IS_UTF8 || isAscii(name) ? folder.getFileSystem().getPath(name) : fromBytes(name));
    }

    /** Returns the name of a file that is given by an absolute path; empty if its bytes are not UTF-8. */
    static Optional<String> nameOf(Path file) {
        Path name = file.getFileName();
        String text = name == null ? "" : name.toString();
        if (isAscii(text)) {
            return Optional.of(text);
        }
        if (!LOCALE_IS_UTF8) {
            return decode(bytes(file));
        }
        // Bytes that are no UTF-8 come out as a replacement character; but a name may hold that character itself.
        boolean ambiguous = text.indexOf(REPLACEMENT) >= 0;
        return ambiguous && !file.getFileSystem().getPath(text).equals(name) ? Optional.empty() : Optional.of(text);
    }

    /** Returns the parent folder of a file that is given by an absolute path. */
    static Path parentOf(Path file) {
        return Objects.requireNonNull(file.getParent(), "the root of the file system has no parent");
    }

    private static Path fromBytes(String name) {
        StringBuilder uri = new StringBuilder("file:///");
        for (byte b : name.getBytes(StandardCharsets.UTF_8)) {
            uri.append("%%%02X".formatted(b & 0xFF));
        }
        return Path.of(URI.create(uri.toString())).getFileName();
    }

    /** Returns the bytes of the last component of a path, from its URI. */
    private static byte[] bytes(Path file) {
        String uri = file.toUri().getRawPath();
        String path = uri.endsWith("/") ? uri.substring(0, uri.length() - 1) : uri;
        String name = path.substring(path.lastIndexOf('/') + 1);
        ByteBuffer bytes = ByteBuffer.allocate(name.length());
        for (int i = 0; i < name.length(); i++) {
            boolean escaped = name.charAt(i) == '%';
            bytes.put(escaped ? (byte) Integer.parseInt(name.substring(i + 1, i + 3), 16) : (byte) name.charAt(i));
            i += escaped ? 2 : 0;
        }
        return Arrays.copyOf(bytes.array(), bytes.position());
    }

    private static Optional<String> decode(byte[] bytes) {
        try {
            return Optional.of(StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString());
        } catch (CharacterCodingException e) {
            return Optional.empty();
        }
    }

    private static boolean isAscii(String text) {
        for (int i = 0; i < text.length(); i++) {
            if (text.charAt(i) >= 0x80) {
                return false;
            }
        }
        return true;
    }

    private static boolean isUtf8(String charset) {
        return Charset.isSupported(charset) && Charset.forName(charset).equals(StandardCharsets.UTF_8);
    }
}
