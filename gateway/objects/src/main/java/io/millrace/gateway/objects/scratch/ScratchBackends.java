package io.millrace.gateway.objects.scratch;

import io.millrace.backend.spi.Backend;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.cache.BlockCache;
import io.millrace.cache.metadata.ObjectPrefix;
import io.millrace.cache.residency.GroupResidency;
import io.millrace.gateway.objects.bucket.BucketSettings;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.IntStream;

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
                Supplier<GroupResidency> residency = residency(blocks, new ObjectPrefix(entry.backend(), bucket, ""));
                all.put(
                        entry.backend(),
                        new ScratchBackend(new ScratchObjects(
                                entry.backend(),
                                bucket,
                                scratch.ttl(),
                                residency,
                                blocks.scratch(),
                                blocks.reader(),
                                clock)));
            });
        }
        return all;
    }

    /** Returns what tells the bytes and the quota, which is that of the start of the cache also after a reload. */
    private static Supplier<GroupResidency> residency(BlockCache cache, ObjectPrefix objects) {
        List<GroupResidency> groups = cache.inventory().groups();
        int at = IntStream.range(0, groups.size())
                .filter(i -> groups.get(i).objects().equals(objects)
                        && groups.get(i).most().isPresent())
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException(
                        "the bucket '%s' became a scratch bucket: its quota, and so it, takes a restart"
                                .formatted(objects.bucket())));
        return () -> cache.inventory().groups(at);
    }
}
