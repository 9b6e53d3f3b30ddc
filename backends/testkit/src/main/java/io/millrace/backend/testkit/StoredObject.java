package io.millrace.backend.testkit;

import io.millrace.backend.spi.ByteRange;
import io.millrace.backend.spi.ETag;
import io.millrace.backend.spi.HeaderList;
import io.millrace.backend.spi.ObjectHead;
import io.millrace.backend.spi.ObjectVersion;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;

/** One version of an object in memory; immutable, so that a read under way is never touched by a newer store. */
final class StoredObject {
    private final ObjectHead head;
    private final byte[] bytes;
    private final List<Long> partSizes;

    private StoredObject(ObjectHead head, byte[] bytes, List<Long> partSizes) {
        this.head = head;
        this.bytes = bytes;
        this.partSizes = partSizes;
    }

    static StoredObject of(byte[] bytes, HeaderList headers, Instant now, Optional<String> versionId) {
        return new StoredObject(head(md5(bytes), bytes.length, headers, now, versionId), bytes.clone(), List.of());
    }

    /** Made of parts, with the tag S3 gives such an object: the MD5 of the parts' MD5s, and their count. */
    static StoredObject ofParts(List<byte[]> parts, HeaderList headers, Instant now, Optional<String> versionId) {
        byte[] bytes = concatenated(parts);
        byte[] sums = concatenated(
                parts.stream().map(part -> Sums.digest("MD5", part)).toList());
        String tag = md5(sums) + "-" + parts.size();
        HeaderList told = headers.with("x-amz-mp-parts-count", Integer.toString(parts.size()));
        List<Long> sizes = parts.stream().map(part -> (long) part.length).toList();
        return new StoredObject(head(tag, bytes.length, told, now, versionId), bytes, sizes);
    }

    ObjectHead head() {
        return head;
    }

    /** Not copied; nobody writes to it. */
    byte[] bytes() {
        return bytes;
    }

    /** The bytes of a part, counted from 1; empty if there is none. */
    Optional<ByteRange> part(int number) {
        List<Long> sizes = partSizes.isEmpty() ? List.of(head.size()) : partSizes;
        if (number > sizes.size() || head.size() == 0) {
            return Optional.empty();
        }
        long first = sizes.stream().limit(number - 1).mapToLong(Long::longValue).sum();
        return Optional.of(new ByteRange(first, first + sizes.get(number - 1) - 1));
    }

    /** The tag of a content, or of a part. */
    static String md5(byte[] bytes) {
        return HexFormat.of().formatHex(Sums.digest("MD5", bytes));
    }

    static byte[] concatenated(List<byte[]> pieces) {
        byte[] all = new byte[pieces.stream().mapToInt(piece -> piece.length).sum()];
        int at = 0;
        for (byte[] piece : pieces) {
            System.arraycopy(piece, 0, all, at, piece.length);
            at += piece.length;
        }
        return all;
    }

    private static ObjectHead head(String tag, long size, HeaderList headers, Instant now, Optional<String> versionId) {
        Optional<ETag> eTag = Optional.of(ETag.strong(tag));
        HeaderList told =
                versionId.map(id -> headers.with("x-amz-version-id", id)).orElse(headers);
        return new ObjectHead(
                ObjectVersion.ofETag(eTag, size, versionId),
                eTag,
                Optional.of(now.truncatedTo(ChronoUnit.SECONDS)),
                told);
    }
}
