package io.millrace.backend.azure;

import io.millrace.backend.spi.object.ETag;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Base64;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The id of an uncommitted block that is a part of a multipart upload. All blocks of a blob share one name space and
 * ids of one length, so the id says to which upload and part a block belongs:
 *
 * <pre>
 *   1 0123456789abcdef0123456789abcdef 00007 d 0jx1mzv4k2a3b
 *   | upload                           part  | stamp: when it was sent; the later replaces the earlier,
 *   |                                        |        and the tag of the part
 *   form                                     d: data, e: empty, for which the one byte of the block stands
 * </pre>
 */
record BlockId(String uploadId, int part, boolean empty, String stamp) {
    private static final Pattern FORM = Pattern.compile("1([0-9a-f]{32})([0-9]{5})([de])([0-9a-v]{13})");
    private static final int RADIX = 32;
    private static final int RANDOM_BITS = 16;

    /** Parses the id of a block as the service lists it, in Base64; empty if it is no part of a multipart upload. */
    static Optional<BlockId> ofBase64(String text) {
        try {
            return find(new String(Base64.getDecoder().decode(text), StandardCharsets.ISO_8859_1));
        } catch (IllegalArgumentException foreign) {
            return Optional.empty();
        }
    }

    String toBase64() {
        String text = "1%s%05d%s%s".formatted(uploadId, part, empty ? "e" : "d", stamp);
        return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.ISO_8859_1));
    }

    /** Returns the tag of the part, which is never as long as an MD5. */
    ETag eTag() {
        return ETag.strong(stamp + "-part");
    }

    /** Returns when the part was sent. */
    Instant sent() {
        return Instant.ofEpochMilli(Long.parseLong(stamp, RADIX) >>> RANDOM_BITS);
    }

    /** Returns a number, which grows with time, as a stamp. */
    static String stamp(long number) {
        String digits = Long.toString(number, RADIX);
        return "0".repeat(13 - digits.length()) + digits;
    }

    /** Returns the least number of a stamp at this time. */
    static long numberAt(Instant time) {
        return time.toEpochMilli() << RANDOM_BITS;
    }

    private static Optional<BlockId> find(String text) {
        Matcher form = FORM.matcher(text);
        return form.matches()
                ? Optional.of(new BlockId(
                        form.group(1),
                        Integer.parseInt(form.group(2)),
                        form.group(3).equals("e"),
                        form.group(4)))
                : Optional.empty();
    }
}
