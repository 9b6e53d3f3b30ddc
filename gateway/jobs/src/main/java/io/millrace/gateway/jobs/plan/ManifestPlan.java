package io.millrace.gateway.jobs.plan;

import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.gateway.objects.bucket.BucketView;
import java.util.Optional;
import java.util.function.Predicate;
import reactor.core.publisher.Flux;
import reactor.util.function.Tuple2;
import reactor.util.retry.Retry;

/**
 * Lists the keys of a manifest: an object with a key a line, gzipped if its name ends in {@code .gz}; or an S3
 * Inventory, if its name ends in {@code manifest.json}. A position is the number of the next line, counted across all
 * files.
 */
final class ManifestPlan implements Plan {
    private static final int LARGEST_INVENTORY = 8 << 20;

    private final ObjectKey name;
    private final ManifestFile manifest;
    private final String listedBucket;
    private final Predicate<ObjectKey> readable;

    /**
     * Creates a plan.
     *
     * @param bucket of the manifest
     * @param listedBucket bucket of the listed objects, as the backend names it
     * @param readable objects beside the manifest that the owner of the job may read; the author of a manifest may name
     *     any
     */
    ManifestPlan(
            BucketView bucket, ObjectKey manifest, String listedBucket, Predicate<ObjectKey> readable, Retry retry) {
        this.readable = readable;
        this.name = manifest;
        this.manifest = new ManifestFile(bucket, manifest, retry);
        this.listedBucket = listedBucket;
    }

    @Override
    public Flux<PlanItem> from(Optional<String> position) {
        long begin = PlanFactory.number(position);
        return entries().index().skip(begin).map(ManifestPlan::item);
    }

    private static PlanItem item(Tuple2<Long, ManifestEntry> line) {
        long number = line.getT1() + 1;
        try {
            return new PlanItem(new ObjectKey(line.getT2().key()), line.getT2().listed(), Long.toString(number));
        } catch (IllegalArgumentException noKey) {
            throw new PlanException("line %d of the manifest is not a valid key".formatted(number));
        }
    }

    private Flux<ManifestEntry> entries() {
        return name.value().endsWith("manifest.json")
                ? manifest.whole(LARGEST_INVENTORY)
                        .map(InventoryManifest::parse)
                        .flatMapMany(this::entries)
                : manifest.lines().filter(line -> !line.isEmpty()).map(key -> new ManifestEntry(key, Optional.empty()));
    }

    private Flux<ManifestEntry> entries(InventoryManifest inventory) {
        if (!inventory.sourceBucket().equals(listedBucket)) {
            throw new PlanException("the inventory is of bucket '%s', and not of '%s'"
                    .formatted(inventory.sourceBucket(), listedBucket));
        }
        return Flux.fromIterable(inventory.files())
                .concatMap(file -> beside(file).lines().filter(line -> !line.isEmpty()), 1)
                .concatMapIterable(line -> inventory.current(line).stream().toList(), 1);
    }

    private ManifestFile beside(String file) {
        ObjectKey key = key(file);
        if (!readable.test(key)) {
            throw new PlanException("the inventory names %s, which the owner of this job may not read".formatted(file));
        }
        return manifest.beside(key);
    }

    private static ObjectKey key(String file) {
        try {
            return new ObjectKey(file);
        } catch (IllegalArgumentException noKey) {
            throw new PlanException("the inventory names a file whose name is not a valid key");
        }
    }
}
