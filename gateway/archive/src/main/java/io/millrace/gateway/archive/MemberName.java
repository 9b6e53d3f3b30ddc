package io.millrace.gateway.archive;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * The name of an entry as an archive spells it, checked. A name has one spelling, so that it can be part of a key, and
 * leads nowhere out of the archive.
 *
 * @param text the name without {@code ./} before it; empty if it is hidden
 * @param hidden why the entry is no member, if its name is the reason
 */
record MemberName(String text, @Nullable HiddenReason hidden) {
    /**
     * The most bytes of {@code ./} before a name that are removed. A global header can give each entry of a tar a name
     * of a megabyte, and to look through all of them would take a core for hours.
     */
    private static final int LONGEST_BEGINNING = 1024;

    /**
     * Checks the bytes of a name.
     *
     * @param longest the longest name in bytes
     */
    static MemberName of(byte[] bytes, int from, int to, int longest) {
        int start = from;
        while (to - start >= 2 && start - from < LONGEST_BEGINNING && bytes[start] == '.' && bytes[start + 1] == '/') {
            start += 2;
        }
        HiddenReason reason = to - start > longest ? HiddenReason.LONG_NAME : reasonOfComponents(bytes, start, to);
        if (reason != null) {
            return new MemberName("", reason);
        }
        try {
            ByteBuffer name = ByteBuffer.wrap(bytes, start, to - start);
            return new MemberName(
                    StandardCharsets.UTF_8.newDecoder().decode(name).toString(), null);
        } catch (CharacterCodingException e) {
            return new MemberName("", HiddenReason.NAME_NOT_UTF8);
        }
    }

    private static @Nullable HiddenReason reasonOfComponents(byte[] bytes, int from, int to) {
        if (from < to && bytes[from] == '/') {
            return HiddenReason.ABSOLUTE_NAME;
        }
        int start = from;
        for (int i = from; i <= to; i++) {
            if (i < to && bytes[i] == 0) {
                return HiddenReason.NUL_IN_NAME;
            }
            if (i == to || bytes[i] == '/') {
                if (i == start) {
                    return HiddenReason.EMPTY_NAME;
                }
                if (isRelative(bytes, start, i)) {
                    return HiddenReason.RELATIVE_NAME;
                }
                start = i + 1;
            }
        }
        return null;
    }

    private static boolean isRelative(byte[] bytes, int from, int to) {
        return bytes[from] == '.' && (to - from == 1 || (to - from == 2 && bytes[from + 1] == '.'));
    }
}
