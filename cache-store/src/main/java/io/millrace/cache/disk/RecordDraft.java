package io.millrace.cache.disk;

import io.millrace.cache.index.Fingerprint;
import io.millrace.cache.index.Kind;
import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * A record to be written.
 *
 * @param sequence unique in the store; the highest of a key counts
 * @param key what it is found by
 * @param version fingerprint of the object version; {@link Fingerprint#NONE} for a tombstone
 * @param block number of a block, 0 else
 * @param headPart what tells whose bytes these are, and for heads what is known of the object
 * @param body in pages of {@link Pages#SIZE}, the last one shorter; owned by whoever made the draft until it is told the outcome
 */
public record RecordDraft(
        Kind kind,
        long sequence,
        Fingerprint key,
        Fingerprint version,
        long block,
        ByteBuffer headPart,
        List<ByteBuf> body) {
    /** Bytes of the largest head part. */
    public static final int MAX_HEAD_PART = 96 << 10;

    public RecordDraft {
        if (headPart.remaining() > MAX_HEAD_PART) {
            throw new IllegalArgumentException("a head part of " + headPart.remaining() + " bytes");
        }
        body = List.copyOf(body);
    }

    /** Bytes of the body. */
    public int bodyBytes() {
        int bytes = 0;
        for (ByteBuf page : body) {
            bytes += page.readableBytes();
        }
        return bytes;
    }
}
