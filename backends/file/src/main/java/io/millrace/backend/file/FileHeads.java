package io.millrace.backend.file;

import io.millrace.backend.spi.ETag;
import io.millrace.backend.spi.HeaderList;
import io.millrace.backend.spi.ObjectHead;
import io.millrace.backend.spi.ObjectVersion;
import io.millrace.backend.spi.ObjectVersion.Strength;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.time.Instant;
import java.util.HexFormat;
import java.util.Optional;

/** What clients are told of a file. */
final class FileHeads {
    /** What S3 says of an object that was stored without a type; guessing by the name would be ours alone. */
    private static final String NO_TYPE = "binary/octet-stream";

    /** Bytes of a hash in a tag: enough that no two contents share one. */
    private static final int HASH_BYTES = 12;

    /**
     * How long a file must have been left alone before its times say for certain which content it has. The kernel takes them
     * from a clock that stands still for 1 to 10 ms, so that two writes within one tick leave the same times. Twice the
     * longest tick.
     */
    static final Duration TICK = Duration.ofMillis(20);

    private FileHeads() {}

    /**
     * The head of a file; empty if the file was changed so lately that its next content might look the same.
     *
     * @param stored what a write left beside it, if one did and nobody changed the file since
     * @param now when the file was looked at
     */
    static Optional<ObjectHead> of(FileStat file, Optional<StoredContent> stored, Instant now) {
        boolean settled = stored.isPresent() || file.changed().isBefore(now.minus(TICK));
        if (settled) {
            return Optional.of(head(file, Strength.STRONG, tag(file, stored), stored));
        }
        // Changed in the future, by a clock that is not ours: nothing is certain, and waiting might take hours.
        boolean otherClock = file.changed().isAfter(now);
        ETag weak = new ETag(tag(file, stored).opaque(), true);
        return otherClock ? Optional.of(head(file, Strength.WEAK, weak, stored)) : Optional.empty();
    }

    /**
     * The tag clients see: the stored one, or one made of the validator. Not 32 hex digits, since clients take those for an
     * MD5 and compare; and with a dash, by which they know a tag that is none.
     */
    static ETag tag(FileStat file, Optional<StoredContent> stored) {
        return stored.map(StoredContent::tag).orElseGet(() -> ETag.strong(hash(file.validator()) + "-file"));
    }

    private static ObjectHead head(FileStat file, Strength strength, ETag tag, Optional<StoredContent> stored) {
        ObjectVersion version = new ObjectVersion(strength, file.validator(), file.size(), Optional.empty());
        return new ObjectHead(version, Optional.of(tag), Optional.of(file.lastModified()), headers(stored));
    }

    private static HeaderList headers(Optional<StoredContent> stored) {
        HeaderList headers = stored.map(StoredContent::headers).orElse(HeaderList.EMPTY);
        return headers.first("content-type").isPresent() ? headers : headers.with("content-type", NO_TYPE);
    }

    private static String hash(String text) {
        try {
            byte[] hash = MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.US_ASCII));
            return HexFormat.of().formatHex(hash, 0, HASH_BYTES);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }
}
