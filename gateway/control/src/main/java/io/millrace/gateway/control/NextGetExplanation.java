package io.millrace.gateway.control;

import io.millrace.cache.metadata.ObjectMetadata;
import io.millrace.gateway.objects.bucket.BucketView;
import io.millrace.gateway.objects.derived.ArchivePreview.Place;
import io.millrace.gateway.objects.monitor.RecentRequest;
import io.millrace.gateway.objects.read.ReadPreview;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The response that explains what the next GET of an object would do.
 *
 * @param backend name of the backend in the settings
 * @param freshness the freshness rules of the bucket
 * @param next {@code hit}, {@code stale}, {@code partial}, {@code revalidate}, {@code miss}, {@code missing} or {@code
 *     bypass}
 * @param sentence the same in words
 * @param known the object's metadata; empty if there is none
 * @param archive the archive that the object is in, or is itself; empty if it is neither, as far as is known
 * @param transform what makes the object; empty if nothing does, and for who may not know
 * @param home the member that is asked before the backend; empty if the object has none
 * @param missingSeconds how long the key stays in the negative cache; empty if it is not there
 * @param recent the last requests for the object that did not come from the cache alone, the newest first
 */
record NextGetExplanation(
        String bucket,
        String key,
        String backend,
        BucketSummary.Freshness freshness,
        String next,
        String sentence,
        Optional<KnownObject> known,
        Optional<ArchiveExplanation> archive,
        Optional<TransformExplanation> transform,
        Optional<HomeState> home,
        OptionalLong missingSeconds,
        List<RecentRequest> recent) {
    NextGetExplanation {
        recent = List.copyOf(recent);
    }

    /**
     * The metadata and cached blocks of an object.
     *
     * @param eTag of the version; empty if the backend gave none
     * @param fetchedAt when the metadata was fetched; of an object in an archive the archive's, as the next two; of
     *     what a transform made when it did, and the next two are of what it was made of
     * @param freshSeconds how long the metadata stays fresh, negative if it is stale; empty if it never becomes stale
     * @param mustRevalidate whether the metadata must be revalidated before use, for a reason other than its age
     * @param blocks number of blocks of the version; empty of an object in an archive, as the next two
     */
    record KnownObject(
            Optional<String> eTag,
            long size,
            Instant fetchedAt,
            OptionalLong freshSeconds,
            boolean mustRevalidate,
            OptionalLong blocks,
            OptionalLong cachedBlocks,
            OptionalLong cachedBytes) {
        static KnownObject of(ReadPreview preview, ObjectMetadata head) {
            return new KnownObject(
                    head.head().eTag().map(Object::toString),
                    head.size(),
                    Instant.ofEpochMilli(head.fetchedAt()),
                    seconds(preview.freshMillis()),
                    head.mustRevalidate(),
                    OptionalLong.of(head.blocks()),
                    OptionalLong.of(preview.cachedBlocks()),
                    OptionalLong.of(preview.cachedBytes()));
        }

        /**
         * Returns what is known of what a transform made.
         *
         * @param preview of the object that it was made of
         */
        static KnownObject ofMade(ReadPreview preview, ReadPreview.Made made) {
            ObjectMetadata head = made.metadata();
            return new KnownObject(
                    head.head().eTag().map(Object::toString),
                    head.size(),
                    Instant.ofEpochMilli(head.fetchedAt()),
                    seconds(preview.freshMillis()),
                    preview.metadata().filter(ObjectMetadata::mustRevalidate).isPresent(),
                    OptionalLong.of(head.blocks()),
                    OptionalLong.of((made.cachedBytes() + head.blockSize() - 1) / head.blockSize()),
                    OptionalLong.of(made.cachedBytes()));
        }

        /**
         * Returns what is known of an object in an archive.
         *
         * @param preview of the archive
         * @param head of the archive
         * @param place of the object
         */
        static KnownObject ofMember(ReadPreview preview, ObjectMetadata head, Place place) {
            return new KnownObject(
                    Optional.of(place.eTag()),
                    place.size(),
                    Instant.ofEpochMilli(head.fetchedAt()),
                    seconds(preview.freshMillis()),
                    head.mustRevalidate(),
                    OptionalLong.empty(),
                    OptionalLong.empty(),
                    OptionalLong.empty());
        }
    }

    /** @param ruled the bucket whose rules apply: of a derived bucket the one with the archives */
    static NextGetExplanation of(
            BucketView bucket,
            String key,
            BucketView ruled,
            ReadPreview preview,
            Optional<KnownObject> known,
            Optional<ArchiveExplanation> archive,
            Optional<TransformExplanation> transform,
            Optional<HomeState> home,
            String sentence,
            List<RecentRequest> recent) {
        return new NextGetExplanation(
                bucket.name().value(),
                key,
                ruled.backendName(),
                BucketSummary.Freshness.of(ruled.freshness()),
                preview.next().name().toLowerCase(Locale.ROOT),
                sentence,
                known,
                archive,
                transform,
                home,
                seconds(preview.missingMillis()),
                recent);
    }

    private static OptionalLong seconds(OptionalLong millis) {
        return millis.isPresent()
                ? OptionalLong.of(
                        Math.floorDiv(millis.getAsLong(), Duration.ofSeconds(1).toMillis()))
                : OptionalLong.empty();
    }
}
