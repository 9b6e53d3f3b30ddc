package io.millrace.backend.file;

import io.millrace.backend.spi.ObjectHead;
import io.millrace.backend.spi.checksum.HashDigest;
import io.millrace.backend.spi.object.ETag;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ObjectVersion;
import io.millrace.backend.spi.object.ObjectVersion.ValidatorStrength;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.HexFormat;
import java.util.Optional;

/** Builds the object metadata that clients see from a file and its stored metadata. */
final class FileObjectHeadBuilder {
    /** Content-Type that S3 gives to objects stored without one; it is not guessed from the name. */
    private static final String NO_TYPE = "binary/octet-stream";

    /** Bytes of a hash in an ETag: enough that no two contents share one. */
    private static final int HASH_BYTES = 12;

    /**
     * Time that a file must be unchanged before its timestamps identify its content. The kernel takes them from a clock
     * that ticks every 1 to 10 ms, so two writes within one tick leave the same timestamps. Twice the longest tick.
     */
    static final Duration SETTLE_TIME = Duration.ofMillis(20);

    private FileObjectHeadBuilder() {}

    /**
     * Returns the metadata of a file; empty if it changed so recently that its next content might look the same.
     *
     * @param stored the metadata that a write left, if the file is unchanged since
     * @param before a time before the attributes were read
     * @param now a time after that
     */
    static Optional<ObjectHead> of(FileStat file, Optional<StoredContentMetadata> stored, Instant before, Instant now) {
        boolean settled = stored.isPresent() || file.changed().isBefore(before.minus(SETTLE_TIME));
        if (settled) {
            return Optional.of(head(file, ValidatorStrength.STRONG, eTag(file, stored), stored));
        }
        // Changed in the future, by a clock that is not ours: nothing is certain, and waiting might take hours.
        boolean otherClock = file.changed().isAfter(now);
        ETag weak = new ETag(eTag(file, stored).opaque(), true);
        return otherClock ? Optional.of(head(file, ValidatorStrength.WEAK, weak, stored)) : Optional.empty();
    }

    /**
     * Returns the ETag that clients see: the stored one, or one derived from the validator. The latter is not 32 hex
     * digits, because clients take those for an MD5 and compare; and it has a dash, by which they recognize an ETag
     * that is no MD5.
     */
    static ETag eTag(FileStat file, Optional<StoredContentMetadata> stored) {
        return stored.map(StoredContentMetadata::tag).orElseGet(() -> ETag.strong(hash(file.validator()) + "-file"));
    }

    private static ObjectHead head(
            FileStat file, ValidatorStrength strength, ETag tag, Optional<StoredContentMetadata> stored) {
        ObjectVersion version = new ObjectVersion(strength, file.validator(), file.size(), Optional.empty());
        return new ObjectHead(version, Optional.of(tag), Optional.of(file.lastModified()), headers(stored));
    }

    private static HeaderList headers(Optional<StoredContentMetadata> stored) {
        HeaderList headers = stored.map(StoredContentMetadata::headers).orElse(HeaderList.EMPTY);
        return headers.first("content-type").isPresent() ? headers : headers.with("content-type", NO_TYPE);
    }

    private static String hash(String text) {
        byte[] hash = HashDigest.sha256(text.getBytes(StandardCharsets.US_ASCII));
        return HexFormat.of().formatHex(hash, 0, HASH_BYTES);
    }
}
