package io.millrace.gateway.bucket;

import io.millrace.backend.spi.BucketName;
import io.millrace.config.Setting;
import java.util.Optional;

/**
 * How one bucket, or every bucket whose name fits a pattern, is served.
 *
 * @param name the name clients use, or a pattern with {@code *}
 * @param bucket the backend's own name; the same if it is absent
 */
public record BucketSettings(
        @Setting("The bucket's name for clients. A pattern with * stands for every bucket of the backend that fits.")
        BucketPattern name,

        @Setting("The backend it lives on, by its name under backends.")
        String backend,

        @Setting("Its name at the backend, where that differs. Not together with a pattern.")
        Optional<BucketName> bucket,

        @Setting(
                value = "Only keys that begin with this belong to the bucket; clients see them without it.",
                byDefault = "\"\"")
        String prefix,

        @Setting(
                value = "What everybody may do without a signature: none, or rights joined by commas (read, list).",
                byDefault = "none")
        AnonymousRights anonymous,

        @Setting(
                value = "Whether a write also fills the cache (fill) or only drops what it held (invalidate)."
                        + " Without effect in this version, which does not write.",
                byDefault = "fill")
        WriteMode write,

        @Setting("How long cached content is served without asking.")
        FreshnessSettings freshness) {

    /** What a write leaves in the cache. */
    public enum WriteMode {
        FILL,
        INVALIDATE
    }

    /**
     * @throws IllegalArgumentException if a pattern comes with one real bucket
     */
    public BucketSettings {
        if (name.isPattern() && bucket.isPresent()) {
            throw new IllegalArgumentException(
                    "the pattern '%s' cannot stand for the one bucket '%s': name the bucket, or leave out 'bucket'"
                            .formatted(name.value(), bucket.get()));
        }
    }
}
