package io.millrace.gateway.objects.read;

import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.cache.CacheReader;
import io.millrace.cache.CachedObjectAdministration;
import io.millrace.cache.metadata.ObjectId;
import io.millrace.cache.metadata.ObjectMetadata;
import io.millrace.cache.metadata.ObjectPrefix;
import io.millrace.gateway.objects.bucket.BucketView;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Reports which objects are cached, and evicts them, by the names that clients use. Thread-safe. */
public record CacheResidency(CacheReader reader, CachedObjectAdministration inventory) {
    /**
     * An object with stored metadata.
     *
     * @param position continues a scan after this object
     */
    public record ResidentObject(ObjectKey key, ObjectMetadata metadata, String position) {
        /** Bytes of the object. */
        public long size() {
            return metadata.size();
        }
    }

    /**
     * Totals of cached objects.
     *
     * @param objects objects with stored metadata, possibly without resident bytes
     * @param bytes the sizes of these objects
     * @param cachedObjects objects with bytes on disks, and empty ones
     * @param cached resident bytes
     */
    public record ResidencyTotals(long objects, long bytes, long cachedObjects, long cached) {
        static final ResidencyTotals NONE = new ResidencyTotals(0, 0, 0, 0);

        ResidencyTotals plus(ResidencyTotals other) {
            return new ResidencyTotals(
                    objects + other.objects,
                    bytes + other.bytes,
                    cachedObjects + other.cachedObjects,
                    cached + other.cached);
        }
    }

    /**
     * Totals of each folder and object directly below a prefix.
     *
     * @param all the total of everything below the prefix
     * @param children totals by common prefix or key, up to a maximum number
     * @param others the total of all further children
     */
    public record FolderListing(ResidencyTotals all, Map<String, ResidencyTotals> children, ResidencyTotals others) {}

    /**
     * Lists the objects of a bucket whose keys begin with {@code prefix}, in key order: current versions, and versions
     * that were read by their id.
     *
     * @param position an earlier {@link ResidentObject#position}
     * @throws IllegalArgumentException if the position is invalid
     */
    public Flux<ResidentObject> below(BucketView bucket, String prefix, Optional<String> position) {
        return inventory
                .scan(objects(bucket, prefix), position.map(at -> ScanPositionCodec.parse(bucket, at)))
                .filter(found -> isInside(found, bucket))
                .map(found -> resident(bucket, found));
    }

    /**
     * Returns whether nothing of a bucket is stored, and its backend says that it lacks the bucket: its name may be
     * misspelt. False if that cannot be found out.
     */
    public Mono<Boolean> isUnknown(BucketView bucket) {
        return below(bucket, "", Optional.empty())
                .hasElements()
                .onErrorReturn(true)
                .flatMap(isStored -> isStored ? Mono.just(false) : bucket.isMissing());
    }

    private static ObjectPrefix objects(BucketView bucket, String prefix) {
        return new ObjectPrefix(bucket.backendName(), bucket.backendBucket(), bucket.toBackend(prefix));
    }

    /**
     * One step of a scan.
     *
     * @param found the totals of this step
     * @param next the position of the next step; empty after the last one
     * @param read the share of the scan that is done, 0 to 1
     */
    public record ScanStep(FolderListing found, Optional<String> next, double read) {}

    /**
     * Scans one step of a prefix, so that callers can show progress.
     *
     * @param delimiter ends the names of the folders below the prefix; without one the step has no children
     * @param most the maximum number of separate children; the first ones in key order
     * @param from an earlier {@link ScanStep#next}
     * @param time the approximate duration of a step
     * @param counted tells of an object, as its backend names it, whether it is counted
     * @throws IllegalArgumentException if {@code from} is invalid
     */
    public Mono<ScanStep> step(
            BucketView bucket,
            String prefix,
            String delimiter,
            int most,
            Optional<String> from,
            Duration time,
            Predicate<ObjectRef> counted) {
        ObjectPrefix objects = objects(bucket, prefix);
        Optional<ObjectId> start = from.map(at -> ScanPositionCodec.parse(bucket, at));
        return Mono.defer(() -> {
            long end = System.nanoTime() + time.toNanos();
            FolderTotalsCollector totals = new FolderTotalsCollector(prefix, delimiter, most);
            return inventory
                    .scan(objects, start)
                    .doOnNext(found -> add(found, bucket, counted, totals))
                    .takeUntil(found -> System.nanoTime() - end >= 0)
                    .reduce((before, last) -> last)
                    .map(last -> step(objects, totals, last.id(), System.nanoTime() - end >= 0))
                    .defaultIfEmpty(new ScanStep(totals.sum(), Optional.empty(), 1));
        });
    }

    private void add(
            ObjectMetadata found, BucketView bucket, Predicate<ObjectRef> counted, FolderTotalsCollector totals) {
        // Each result of a transform is of a version of its own: what it is made of, and how.
        boolean isOfItsKey =
                found.id().versionId().isEmpty() == bucket.transform().isEmpty();
        if (isInside(found, bucket) && isOfItsKey && counted.test(found.id().object())) {
            ResidentObject one = resident(bucket, found);
            totals.add(one.key().value(), residency(one));
        }
    }

    private ScanStep step(ObjectPrefix objects, FolderTotalsCollector totals, ObjectId last, boolean isCut) {
        return isCut
                ? new ScanStep(
                        totals.sum(), Optional.of(ScanPositionCodec.of(last)), inventory.scanProgress(objects, last))
                : new ScanStep(totals.sum(), Optional.empty(), 1);
    }

    private ResidencyTotals residency(ResidentObject one) {
        long cached = cachedBytes(one.metadata());
        // Of an empty object, its metadata is all there is to cache.
        boolean isCached = cached > 0 || one.size() == 0;
        return new ResidencyTotals(1, one.size(), isCached ? 1 : 0, cached);
    }

    /**
     * Returns the cached metadata of an object; empty if there is none.
     *
     * @param versionId a version that was read by its id; the current one if empty
     */
    public Mono<ObjectMetadata> find(BucketView bucket, ObjectRef object, Optional<String> versionId) {
        return reader.find(new ObjectId(bucket.backendName(), object, versionId));
    }

    /** Returns the bytes of an object that are on disks. */
    public long cachedBytes(ObjectMetadata metadata) {
        return inventory.residentBytes(metadata);
    }

    /** Returns the bytes that the cache may hold of a bucket; empty if it has no quota. */
    public Optional<Long> quota(BucketView bucket) {
        ObjectPrefix whole = objects(bucket, "");
        return inventory.groups().stream()
                .filter(group -> group.objects().equals(whole) && group.most().isPresent())
                .map(group -> group.most().getAsLong())
                .findFirst();
    }

    /**
     * Removes an object from the cache.
     *
     * @return the resident bytes that were removed
     */
    public long evict(ObjectMetadata metadata) {
        return inventory.evict(metadata);
    }

    /** Returns whether clients can see the object: the key that equals the view's prefix is empty for them. */
    private static boolean isInside(ObjectMetadata found, BucketView bucket) {
        return found.id().object().key().value().length() > bucket.prefix().length();
    }

    private static ResidentObject resident(BucketView bucket, ObjectMetadata found) {
        String key = bucket.toClient(found.id().object().key().value());
        return new ResidentObject(new ObjectKey(key), found, ScanPositionCodec.of(found.id()));
    }
}
