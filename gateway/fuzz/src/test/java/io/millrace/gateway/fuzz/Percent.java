package io.millrace.gateway.fuzz;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Percent-encoding of bytes, one char each, undone and done step by step. */
final class Percent {
    private static final String PLAIN = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~";
    private static final String HEX = "0123456789ABCDEF";

    private Percent() {}

    /** A name and a value of a query, decoded. */
    record Pair(String name, String value) {}

    /** Empty if an escape is none, or the bytes are no UTF-8. */
    static Optional<String> decoded(String text, boolean plusIsSpace) {
        StringBuilder bytes = new StringBuilder();
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c != '%') {
                bytes.append(c == '+' && plusIsSpace ? ' ' : c);
                continue;
            }
            int high = i + 2 < text.length() ? digit(text.charAt(i + 1)) : -1;
            int low = i + 2 < text.length() ? digit(text.charAt(i + 2)) : -1;
            if (high < 0 || low < 0) {
                return Optional.empty();
            }
            bytes.append((char) (high * 16 + low));
            i += 2;
        }
        return isUtf8(bytes.toString()) ? Optional.of(bytes.toString()) : Optional.empty();
    }

    /** The parameters of a target; empty if one of them cannot be read. */
    static Optional<List<Pair>> query(String target) {
        List<Pair> pairs = new ArrayList<>();
        int mark = target.indexOf('?');
        for (String part : mark < 0
                ? List.<String>of()
                : List.of(target.substring(mark + 1).split("&", -1))) {
            if (part.isEmpty()) {
                continue;
            }
            int equals = part.indexOf('=');
            Optional<String> name = decoded(equals < 0 ? part : part.substring(0, equals), true);
            Optional<String> value = decoded(equals < 0 ? "" : part.substring(equals + 1), true);
            if (name.isEmpty() || value.isEmpty()) {
                return Optional.empty();
            }
            pairs.add(new Pair(name.get(), value.get()));
        }
        return Optional.of(pairs);
    }

    /** All but RFC 3986's unreserved characters, and perhaps slashes, escaped. */
    static String encoded(String bytes, boolean keepSlash) {
        StringBuilder out = new StringBuilder();
        for (int i = 0; i < bytes.length(); i++) {
            char c = bytes.charAt(i);
            if (PLAIN.indexOf(c) >= 0 || (keepSlash && c == '/')) {
                out.append(c);
            } else {
                out.append('%').append(HEX.charAt(c >> 4)).append(HEX.charAt(c & 15));
            }
        }
        return out.toString();
    }

    /** The text that these bytes are. */
    static String text(String bytes) {
        return new String(bytes.getBytes(StandardCharsets.ISO_8859_1), StandardCharsets.UTF_8);
    }

    private static boolean isUtf8(String bytes) {
        try {
            StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes.getBytes(StandardCharsets.ISO_8859_1)));
            return true;
        } catch (CharacterCodingException e) {
            return false;
        }
    }

    private static int digit(char c) {
        return c >= 'a' && c <= 'f' ? c - 'a' + 10 : HEX.indexOf(c);
    }
}
