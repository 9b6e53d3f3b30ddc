package io.millrace.cache.group;

import io.millrace.cache.index.FingerprintHash;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * What the disk remembers of the group of a record, so that it is known again after a start without reading the record. 56 bits: 32 of the
 * bucket, which are never 0, and above them 24 of the prefix that was the longest to fit among those that were named then, together with
 * those that were named directly below it. So a label that is one of today's tells that the same prefix is the longest today; any
 * other label of a bucket in which something is named says nothing, and 0 says nothing either.
 *
 * <p>It tells so by hashes: what was named otherwise before has one of today's labels by a chance of 2<sup>-24</sup> for each prefix of its
 * bucket today, and another bucket by one of 2<sup>-32</sup>. Its records are counted in the wrong group then, until they go; nothing else depends
 * on a label. Of two prefixes of today that have the same, neither is told by it.
 */
final class Labels {
    private final FingerprintHash hash;

    Labels(FingerprintHash hash) {
        this.hash = hash;
    }

    int bucket(String backend, String bucket) {
        int label = (int) hash.of(text("b\0" + backend + '\0' + bucket)).low();
        return label == 0 ? 1 : label;
    }

    /** @param below the prefixes right below this one, in order */
    int prefix(String prefix, List<String> below) {
        return (int) hash.of(text("p\0" + prefix + '\0' + String.join("\0", below)))
                        .low()
                & 0xFFFFFF;
    }

    static long of(int bucket, int prefix) {
        return ((long) prefix << 32) | Integer.toUnsignedLong(bucket);
    }

    static int bucket(long label) {
        return (int) label;
    }

    static int prefix(long label) {
        return (int) (label >>> 32);
    }

    private static byte[] text(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
