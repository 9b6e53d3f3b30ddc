package io.millrace.backend.testkit.memory;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.ObjectHead;
import io.millrace.backend.spi.ReadDecision;
import io.millrace.backend.spi.object.ByteRange;
import io.millrace.backend.spi.object.ETag;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ObjectVersion;
import io.millrace.backend.testkit.data.ReferenceChecksum;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;

/** One immutable version of an object in memory, so that a newer store does not affect a read in progress. */
final class MemoryObject {
    private final ObjectHead head;
    private final byte[] bytes;
    private final List<Long> partSizes;

    private MemoryObject(ObjectHead head, byte[] bytes, List<Long> partSizes) {
        this.head = head;
        this.bytes = bytes;
        this.partSizes = partSizes;
    }

    static MemoryObject of(byte[] bytes, HeaderList headers, Instant now, Optional<String> versionId) {
        return new MemoryObject(
                head(ReferenceChecksum.md5(bytes), bytes.length, headers, now, versionId), bytes.clone(), List.of());
    }

    /** Creates an object of parts, with the ETag that S3 gives it: the MD5 of the parts' MD5s, and their count. */
    static MemoryObject ofParts(List<byte[]> parts, HeaderList headers, Instant now, Optional<String> versionId) {
        byte[] bytes = ReferenceChecksum.concatenated(parts);
        byte[] sums = ReferenceChecksum.concatenated(parts.stream()
                .map(part -> ReferenceChecksum.digest("MD5", part))
                .toList());
        String tag = ReferenceChecksum.md5(sums) + "-" + parts.size();
        HeaderList reported = headers.with("x-amz-mp-parts-count", Integer.toString(parts.size()));
        List<Long> sizes = parts.stream().map(part -> (long) part.length).toList();
        return new MemoryObject(head(tag, bytes.length, reported, now, versionId), bytes, sizes);
    }

    ObjectHead head() {
        return head;
    }

    /** Returns the bytes without copying; nobody writes to them. */
    byte[] bytes() {
        return bytes;
    }

    /** Returns the range of a part, counted from 1; empty if the object is. Fails if there is no such part. */
    Optional<ByteRange> part(int number) {
        if (partSizes.isEmpty() || head.size() == 0) {
            return ReadDecision.onlyPart(number, head.size());
        }
        if (number > partSizes.size()) {
            throw new BackendException(FailureKind.INVALID_PART, "no part " + number);
        }
        long first =
                partSizes.stream().limit(number - 1).mapToLong(Long::longValue).sum();
        return Optional.of(new ByteRange(first, first + partSizes.get(number - 1) - 1));
    }

    private static ObjectHead head(String tag, long size, HeaderList headers, Instant now, Optional<String> versionId) {
        Optional<ETag> eTag = Optional.of(ETag.strong(tag));
        HeaderList reported =
                versionId.map(id -> headers.with("x-amz-version-id", id)).orElse(headers);
        return new ObjectHead(
                ObjectVersion.ofETag(eTag, size, versionId),
                eTag,
                Optional.of(now.truncatedTo(ChronoUnit.SECONDS)),
                reported);
    }
}
