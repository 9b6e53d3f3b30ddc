package io.millrace.gateway.bucket;

import io.millrace.backend.spi.BucketName;
import io.millrace.config.Setting;
import java.util.List;
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
                value =
                        "Whether a write also fills the cache (fill: with objects of up to 64MiB that are written in one"
                                + " piece) or only drops what it held (invalidate).",
                byDefault = "fill")
        WriteMode write,

        @Setting(
                value =
                        "Stored rules of access (bucket policies, ACLs that grant to others, public access blocks) bind the"
                                + " backend's own callers and not Millrace's: they are refused (refuse), or passed on all the same"
                                + " (forward).",
                byDefault = "refuse")
        AccessRules accessRules,

        @Setting("What scripts of other origins may do in browsers. Without a rule here, an S3 backend's own count.")
        List<CorsSettings> cors,

        @Setting(
                "Which objects are cached. The first rule whose keys fit decides; what fits none is cached. A bucket that the"
                        + " backend has under several names here is one to the cache: give them the same rules.")
        List<CacheRule> cache,

        @Setting("How long cached content is served without asking.")
        FreshnessSettings freshness) {

    /** What becomes of requests that would store rules of access at the backend. */
    public enum AccessRules {
        REFUSE,
        FORWARD
    }

    /** What a write leaves in the cache. */
    public enum WriteMode {
        FILL,
        INVALIDATE
    }

    /**
     * @throws IllegalArgumentException if a pattern comes with one real bucket
     */
    public BucketSettings {
        cors = List.copyOf(cors);
        cache = List.copyOf(cache);
        if (name.isPattern() && bucket.isPresent()) {
            throw new IllegalArgumentException(
                    "the pattern '%s' cannot stand for the one bucket '%s': name the bucket, or leave out 'bucket'"
                            .formatted(name.value(), bucket.get()));
        }
    }
}
