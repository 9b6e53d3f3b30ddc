package io.millrace.gateway.error;

import io.millrace.auth.SignedRequest.Parameter;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * Decodes percent-encoded text. Raw text has one char per byte, as Netty reads a request line.
 *
 * @see <a href="https://www.rfc-editor.org/rfc/rfc3986#section-2.1">RFC 3986, 2.1</a>
 */
public final class PercentDecoder {
    /** More parameters than any S3 request has; bounds the work that an unauthenticated client can cause. */
    private static final int MAX_PARAMETERS = 128;

    private PercentDecoder() {}

    /**
     * Decodes a path, in which a plus is literal.
     *
     * @throws S3Exception InvalidURI (400) for a bad escape or bytes that are not UTF-8
     */
    public static String decodePath(String raw) {
        return decode(raw, false);
    }

    /**
     * Decodes the parameters of a query, in order; a plus is a space.
     *
     * @throws S3Exception InvalidURI (400) for an invalid escape, bytes that are not UTF-8, or too many parameters
     */
    public static List<Parameter> decodeQuery(String raw) {
        List<Parameter> parameters = new ArrayList<>();
        int start = 0;
        while (start <= raw.length()) {
            int end = raw.indexOf('&', start);
            String pair = raw.substring(start, end < 0 ? raw.length() : end);
            if (!pair.isEmpty()) {
                parameters.add(parameter(pair));
            }
            if (parameters.size() > MAX_PARAMETERS) {
                throw new S3Exception(S3ErrorCode.INVALID_URI, "Too many query parameters.");
            }
            start = end < 0 ? raw.length() + 1 : end + 1;
        }
        return parameters;
    }

    private static Parameter parameter(String pair) {
        int equals = pair.indexOf('=');
        String name = equals < 0 ? pair : pair.substring(0, equals);
        return new Parameter(decode(name, true), equals < 0 ? "" : decode(pair.substring(equals + 1), true));
    }

    private static String decode(String raw, boolean plusIsSpace) {
        if (isPlain(raw)) {
            return raw;
        }
        byte[] bytes = new byte[raw.length()];
        int length = 0;
        for (int i = 0; i < raw.length(); i++) {
            char c = raw.charAt(i);
            if (c == '%') {
                bytes[length++] = (byte) escaped(raw, i);
                i += 2;
            } else if (c > 0xFF) {
                throw malformed("It holds a character that no byte stands for.");
            } else {
                bytes[length++] = (byte) (c == '+' && plusIsSpace ? ' ' : c);
            }
        }
        return utf8(ByteBuffer.wrap(bytes, 0, length));
    }

    private static int escaped(String raw, int percent) {
        if (percent + 2 < raw.length()) {
            int high = hexDigit(raw.charAt(percent + 1));
            int low = hexDigit(raw.charAt(percent + 2));
            if (high >= 0 && low >= 0) {
                return high * 16 + low;
            }
        }
        throw malformed("A percent sign must be followed by two hexadecimal digits.");
    }

    /** Rejects the non-ASCII digits that {@link Character#digit} accepts. */
    private static int hexDigit(char c) {
        return c < 0x80 ? Character.digit(c, 16) : -1;
    }

    private static String utf8(ByteBuffer bytes) {
        try {
            return StandardCharsets.UTF_8.newDecoder().decode(bytes).toString();
        } catch (CharacterCodingException e) {
            throw malformed("It is not valid UTF-8.");
        }
    }

    private static boolean isPlain(String raw) {
        for (int i = 0; i < raw.length(); i++) {
            char c = raw.charAt(i);
            if (c == '%' || c == '+' || c >= 0x80) {
                return false;
            }
        }
        return true;
    }

    private static S3Exception malformed(String why) {
        return new S3Exception(S3ErrorCode.INVALID_URI, "Couldn't parse the specified URI. " + why);
    }
}
