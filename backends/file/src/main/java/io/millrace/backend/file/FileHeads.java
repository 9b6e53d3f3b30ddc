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
     * File times come from a clock that stands still for 1 to 10 ms, so that two writes within one tick leave the same times.
     * Twice the longest tick.
     */
    static final Duration TICK = Duration.ofMillis(20);

    private FileHeads() {}

    /**
     * The head of a file.
     *
     * @param stored what a write left beside it, if one did and nobody changed the file since
     * @param now when the file was looked at
     */
    static ObjectHead of(FileStat file, Optional<StoredContent> stored, Instant now) {
        boolean certain = stored.isPresent() || isSettled(file, now);
        ObjectVersion version = new ObjectVersion(
                certain ? Strength.STRONG : Strength.WEAK, file.validator(), file.size(), Optional.empty());
        ETag tag = tag(file, stored);
        return new ObjectHead(
                version,
                Optional.of(certain ? tag : new ETag(tag.opaque(), true)),
                Optional.of(file.lastModified()),
                headers(stored));
    }

    /** Whether a later write is sure to leave other times. */
    static boolean isSettled(FileStat file, Instant now) {
        return file.changed().isBefore(now.minus(TICK));
    }

    /**
     * The tag clients see: the stored one, or one made of the validator. Not 32 hex digits, since clients take those for an
     * MD5 and compare; and with a dash, by which they know a tag that is none.
     */
    static ETag tag(FileStat file, Optional<StoredContent> stored) {
        return stored.map(StoredContent::tag).orElseGet(() -> ETag.strong(hash(file.validator()) + "-file"));
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
