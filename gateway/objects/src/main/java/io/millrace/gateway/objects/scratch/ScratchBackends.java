package io.millrace.gateway.objects.scratch;

import io.millrace.backend.spi.Backend;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.cache.BlockCache;
import io.millrace.cache.metadata.ObjectPrefix;
import io.millrace.gateway.objects.bucket.BucketSettings;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Creates the backends of scratch buckets. */
public final class ScratchBackends {
    private ScratchBackends() {}

    /**
     * Returns the given backends, by name, and one for each scratch bucket. Those need not be closed: the cache has
     * what they need.
     *
     * @param entries checked: without a cache none is of a scratch bucket
     * @throws IllegalArgumentException if one was made a scratch bucket since the cache was opened
     */
    public static Map<String, Backend> with(
            List<BucketSettings> entries,
            Map<String, Backend> backends,
            Optional<BlockCache> cache,
            InstantSource clock) {
        Map<String, Backend> all = new LinkedHashMap<>(backends);
        for (BucketSettings entry : entries) {
            entry.scratch().ifPresent(scratch -> {
                BlockCache blocks = cache.orElseThrow(
                        () -> new IllegalStateException("settings were not checked: a scratch bucket without a cache"));
                BucketName bucket = new BucketName(entry.name().value());
                requireQuota(blocks, new ObjectPrefix(entry.backend(), bucket, ""));
                all.put(
                        entry.backend(),
                        new ScratchBackend(new ScratchObjects(
                                entry.backend(), bucket, scratch.ttl(), blocks.scratch(), blocks.reader(), clock)));
            });
        }
        return all;
    }

    /** The quotas of the cache are those of its start, also after a reload. */
    private static void requireQuota(BlockCache cache, ObjectPrefix objects) {
        boolean hasQuota = cache.inventory().groups().stream()
                .anyMatch(
                        group -> group.objects().equals(objects) && group.most().isPresent());
        if (!hasQuota) {
            throw new IllegalArgumentException(
                    "the bucket '%s' became a scratch bucket: its quota, and so it, takes a restart"
                            .formatted(objects.bucket()));
        }
    }
}
