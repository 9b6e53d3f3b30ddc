package io.millrace.gateway.jobs;

import io.millrace.backend.spi.object.KeyPathNormalizer;
import io.millrace.gateway.objects.bucket.BucketView;
import java.util.ArrayList;
import java.util.List;

/**
 * The keys that a pack will write, compared with those of its source: a shard there would replace another one whose
 * members are yet to be read, or would be packed itself.
 *
 * @param sources the bucket of the selection, and the one that it is derived from, if any, and so on: the last one has
 *     the bytes
 * @param to bucket of the shards
 * @param shards beginning of the keys of all shards, as clients name them
 */
record PackPlaces(List<BucketView> sources, BucketView to, String shards) {
    static PackPlaces of(JobContext job, String shards) {
        List<BucketView> sources = new ArrayList<>();
        BucketView from = job.from();
        sources.add(from);
        while (from.derived().isPresent()) {
            from = job.bucket("from.bucket", from.derived().get().from());
            sources.add(from);
        }
        return new PackPlaces(sources, job.to(), shards);
    }

    /** Returns whether objects of the source whose keys begin so may lie among the shards. */
    boolean areBelowOrAbove(String prefix) {
        return isShared() && (bytes(prefix).startsWith(written()) || written().startsWith(bytes(prefix)));
    }

    /** Returns whether an object of the source lies among the shards. */
    boolean have(String key) {
        return isShared() && bytes(key).startsWith(written());
    }

    /** Returns whether the bytes of the source and the shards are in one bucket of one backend. */
    private boolean isShared() {
        BucketView bytes = sources.get(sources.size() - 1);
        return bytes.backendName().equals(to.backendName())
                && bytes.backendBucket().equals(to.backendBucket());
    }

    /** Returns how the keys begin at the backend that have the bytes of objects whose keys begin so. */
    private String bytes(String beginning) {
        String bytes = beginning;
        for (BucketView source : sources) {
            bytes = source.toBackend(bytes);
        }
        return path(bytes);
    }

    private String written() {
        return path(to.toBackend(shards));
    }

    /** Returns a key as servers read it that keep files: to them {@code a//b} is {@code a/b}. */
    private static String path(String key) {
        return KeyPathNormalizer.collapse(KeyPathNormalizer.normalize(key));
    }
}
