package io.millrace.gateway.objects.residency;

import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.cache.BlockCache;
import io.millrace.cache.metadata.ObjectId;
import io.millrace.cache.metadata.ObjectMetadata;
import io.millrace.cache.metadata.ObjectPrefix;
import io.millrace.gateway.objects.bucket.BucketView;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** What is in the cache, by the names that clients use. Safe for use by any number of threads. */
public final class CacheResidency {
    private final BlockCache cache;

    public CacheResidency(BlockCache cache) {
        this.cache = cache;
    }

    /**
     * An object of which something is cached.
     *
     * @param position where a scan goes on behind it
     */
    public record Resident(ObjectKey key, ObjectMetadata head, String position) {
        /** Bytes of the object. */
        public long size() {
            return head.size();
        }
    }

    /**
     * How much is cached.
     *
     * @param objects of which something is known, perhaps no more than their metadata
     * @param bytes of theirs
     * @param cachedObjects of which bytes are on a disk
     * @param cached those bytes
     */
    public record Residency(long objects, long bytes, long cachedObjects, long cached) {
        static final Residency NONE = new Residency(0, 0, 0, 0);

        Residency plus(Residency other) {
            return new Residency(
                    objects + other.objects,
                    bytes + other.bytes,
                    cachedObjects + other.cachedObjects,
                    cached + other.cached);
        }
    }

    /**
     * How much is cached of each folder and object right below a prefix.
     *
     * @param all everything below it
     * @param children by what their keys begin with, or are: up to a number of them
     * @param others those that are beyond that number, together
     */
    public record Below(Residency all, Map<String, Residency> children, Residency others) {}

    /**
     * Objects of a bucket whose keys begin with {@code prefix}, in the order of their keys: current ones, and versions that were read by
     * their id.
     *
     * @param position an earlier {@link Resident#position}
     * @throws IllegalArgumentException if that is none
     */
    public Flux<Resident> below(BucketView bucket, String prefix, Optional<String> position) {
        return cache.inventory()
                .scan(objects(bucket, prefix), position.map(at -> ScanPosition.parse(bucket, at)))
                .filter(found -> isInside(found, bucket))
                .map(found -> resident(bucket, found));
    }

    private static ObjectPrefix objects(BucketView bucket, String prefix) {
        return new ObjectPrefix(bucket.backendName(), bucket.real(), bucket.inside(prefix));
    }

    /** How much of a bucket is cached below a prefix: reads all that is known below it. */
    public Mono<Residency> residency(BucketView bucket, String prefix) {
        return current(bucket, prefix).map(this::residency).reduce(Residency.NONE, Residency::plus);
    }

    /**
     * A step of that.
     *
     * @param found in this step
     * @param next where the next begins; empty behind the last
     * @param read how much has been read by then, 0 to 1
     */
    public record Step(Residency found, Optional<String> next, double read) {}

    /**
     * The same in steps, so that whoever asks can tell how far it is.
     *
     * @param from an earlier {@link Step#next}
     * @param time that a step takes about
     * @throws IllegalArgumentException if {@code from} is none
     */
    public Mono<Step> step(BucketView bucket, String prefix, Optional<String> from, Duration time) {
        ObjectPrefix objects = objects(bucket, prefix);
        Optional<ObjectId> start = from.map(at -> ScanPosition.parse(bucket, at));
        return Mono.defer(() -> {
            ScanStepTotals sum = new ScanStepTotals(System.nanoTime() + time.toNanos());
            return cache.inventory()
                    .scan(objects, start)
                    .doOnNext(found -> sum.add(
                            found, isCurrent(found, bucket) ? residency(resident(bucket, found)) : Residency.NONE))
                    .takeUntil(found -> sum.isEnough())
                    .then(Mono.fromSupplier(() -> step(objects, sum)));
        });
    }

    private Step step(ObjectPrefix objects, ScanStepTotals sum) {
        ObjectId last = sum.last();
        return sum.isEnough() && last != null
                ? new Step(
                        sum.sum(),
                        Optional.of(ScanPosition.of(last)),
                        cache.inventory().scanned(objects, last))
                : new Step(sum.sum(), Optional.empty(), 1);
    }

    private static boolean isCurrent(ObjectMetadata found, BucketView bucket) {
        return isInside(found, bucket) && found.id().versionId().isEmpty();
    }

    /**
     * The same by the next delimiter behind the prefix, in one reading.
     *
     * @param most children that are told apart: those that are found first
     */
    public Mono<Below> children(BucketView bucket, String prefix, String delimiter, int most) {
        return current(bucket, prefix)
                .collect(
                        () -> new FolderTotals(prefix, delimiter, most),
                        (children, one) -> children.add(one.key().value(), residency(one)))
                .map(FolderTotals::sum);
    }

    private Flux<Resident> current(BucketView bucket, String prefix) {
        return below(bucket, prefix, Optional.empty())
                .filter(found -> found.head().id().versionId().isEmpty());
    }

    private Residency residency(Resident one) {
        long cached = cache.inventory().residentBytes(one.head());
        return new Residency(1, one.size(), cached > 0 ? 1 : 0, cached);
    }

    /**
     * What is known of an object now; empty if nothing is.
     *
     * @param versionId of a version that was read by it; the current one if empty
     */
    public Mono<ObjectMetadata> find(BucketView bucket, ObjectRef object, Optional<String> versionId) {
        return cache.reader().find(new ObjectId(bucket.backendName(), object, versionId));
    }

    /**
     * Takes an object out of the cache.
     *
     * @return bytes that were cached of it
     */
    public long evict(ObjectMetadata head) {
        return cache.inventory().evict(head);
    }

    /** Whether it has a key for clients: what is named as the view's prefix itself has none. */
    private static boolean isInside(ObjectMetadata found, BucketView bucket) {
        return found.id().object().key().value().length() > bucket.prefix().length();
    }

    private static Resident resident(BucketView bucket, ObjectMetadata found) {
        String key = bucket.outside(found.id().object().key().value());
        return new Resident(new ObjectKey(key), found, ScanPosition.of(found.id()));
    }
}
