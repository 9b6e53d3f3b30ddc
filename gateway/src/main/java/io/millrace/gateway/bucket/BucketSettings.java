package io.millrace.gateway.bucket;

import io.millrace.backend.spi.BucketName;
import io.millrace.cache.group.CapacityShare;
import io.millrace.config.Setting;
import io.millrace.gateway.http.KnownNames;
import io.millrace.gateway.saving.PriceSettings;
import java.util.List;
import java.util.Locale;
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

        @Setting(
                value =
                        "Headers and parameters that Millrace does not know and forwards to an S3 backend, past the cache, for whoever"
                                + " may read or write there. For callers with admin on the whole bucket it forwards all. A field may name"
                                + " other buckets to the backend. Not together with prefix.",
                example = "[ x-amz-new-header, new-parameter ]")
        List<String> forwardUnknown,

        @Setting("What scripts of other origins may do in browsers. Without a rule here, an S3 backend's own count.")
        List<CorsSettings> cors,

        @Setting(
                "Which objects are cached. The first rule whose keys fit decides; what fits none is cached. A bucket that the"
                        + " backend has under several names here is one to the cache: give them the same rules.")
        List<CacheRule> cache,

        @Setting("How long cached content is served without asking.")
        FreshnessSettings freshness,

        @Setting(
                value =
                        "How much of the cache its blocks may take: a part of the room of all disks, or a size from 64MiB. What is read beyond"
                                + " it takes the place of what is read least of the same bucket. Without it, whatever there is. Not together"
                                + " with a pattern.",
                example = "25%")
        Optional<CapacityShare> share,

        @Setting(
                value =
                        "Prefixes of which it is counted how much is cached, as of the bucket itself, so that it is told at once. Not"
                                + " together with a pattern.",
                example = "[ train/, val/ ]")
        List<String> residency,

        @Setting("What its reads cost at the backend, where that differs from the prices of the backend.")
        Optional<PriceSettings> prices) {

    /** One of which the rest is as it is without an operator's word. */
    public BucketSettings(
            BucketPattern name,
            String backend,
            Optional<BucketName> bucket,
            String prefix,
            AnonymousRights anonymous,
            WriteMode write,
            AccessRules accessRules,
            List<CorsSettings> cors,
            List<CacheRule> cache,
            FreshnessSettings freshness) {
        this(
                name,
                backend,
                bucket,
                prefix,
                anonymous,
                write,
                accessRules,
                List.of(),
                cors,
                cache,
                freshness,
                Optional.empty(),
                List.of(),
                Optional.empty());
    }

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
     * @throws IllegalArgumentException if a pattern comes with one real bucket, or with what is of one bucket
     */
    public BucketSettings {
        forwardUnknown = forwardUnknown.stream()
                .map(field -> field.toLowerCase(Locale.ROOT))
                .toList();
        requireUnknown(forwardUnknown, prefix);
        cors = List.copyOf(cors);
        cache = List.copyOf(cache);
        residency = List.copyOf(residency);
        if (name.isPattern() && (share.isPresent() || !residency.isEmpty())) {
            throw new IllegalArgumentException(
                    "the pattern '%s' stands for any number of buckets: give 'share' and 'residency' to a bucket by its name, in an entry before it"
                            .formatted(name.value()));
        }
        if (name.isPattern() && bucket.isPresent()) {
            throw new IllegalArgumentException(
                    "the pattern '%s' cannot stand for the one bucket '%s': name the bucket, or leave out 'bucket'"
                            .formatted(name.value(), bucket.get()));
        }
    }

    private static void requireUnknown(List<String> names, String prefix) {
        if (!names.isEmpty() && !prefix.isEmpty()) {
            throw new IllegalArgumentException(
                    "'forward-unknown' has no place beside 'prefix': what a field means at the backend could reach beyond it");
        }
        for (String name : names) {
            if (name.isBlank()) {
                throw new IllegalArgumentException(
                        "'forward-unknown' has an empty name: write that of a header or parameter");
            }
            if (KnownNames.contains(name)) {
                throw new IllegalArgumentException(
                        "'%s' in 'forward-unknown' is known to Millrace, which serves it where it can: leave it out"
                                .formatted(name));
            }
        }
    }

    /** The backend's name of the bucket that clients know by this one. */
    BucketName real(BucketName shown) {
        return bucket.orElse(shown);
    }
}
