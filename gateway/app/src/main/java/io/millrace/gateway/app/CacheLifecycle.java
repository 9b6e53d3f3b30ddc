package io.millrace.gateway.app;

import io.micrometer.core.instrument.MeterRegistry;
import io.millrace.cache.BlockCache;
import io.millrace.cache.CacheAdministration;
import io.millrace.cache.metadata.MetadataFolderException;
import io.millrace.cache.residency.ResidencyGroup;
import io.millrace.cache.settings.CacheSettings;
import io.millrace.gateway.objects.bucket.ClientBucketNames;
import io.millrace.gateway.objects.monitor.CacheMeters;
import io.millrace.gateway.objects.monitor.DiskMeters;
import io.millrace.gateway.objects.monitor.MeteredPrefix;
import io.millrace.kit.async.DaemonThreads;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Opens the block cache if the settings name disks, recovers it once the gateway serves, and closes it with the
 * context.
 */
record CacheLifecycle(Optional<BlockCache> blocks) implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(CacheLifecycle.class);

    /**
     * Opens the cache, which finds the content of its disks only after {@link #startRecovery}.
     *
     * @param counted groups of objects whose resident bytes are counted
     * @param names names of their buckets as clients see them
     * @param data folder of the cache state file
     * @throws StartException if a disk cannot be used
     */
    static CacheLifecycle open(
            CacheSettings settings,
            List<ResidencyGroup> counted,
            ClientBucketNames names,
            Path data,
            MeterRegistry registry) {
        if (settings.disks().isEmpty()) {
            log.warn("Cache disabled: cache.disks is empty, so every read goes to its backend; add a disk to cache");
            return new CacheLifecycle(Optional.empty());
        }
        CacheMeters meters = new CacheMeters(registry);
        try {
            BlockCache blocks = BlockCache.open(settings, counted, data, meters, InstantSource.system());
            meters.watch(blocks.administration()::stats);
            meters.watchMetadata(blocks.administration()::metadataStats);
            meters.watchCounted(
                    blocks.inventory().groups(),
                    objects -> new MeteredPrefix(
                            names.of(objects).bucket(), names.of(objects).prefix()),
                    blocks.inventory()::groups);
            meters.watch(CacheAdministration.SHADOW_SIZES, blocks.administration()::hitRatioAt);
            DiskMeters.watch(registry, blocks.administration());
            return new CacheLifecycle(Optional.of(blocks));
        } catch (MetadataFolderException e) {
            throw new StartException("cache.metadata.path: " + e.getMessage(), e);
        } catch (IOException e) {
            throw new StartException("cache.disks: " + e.getMessage(), e);
        }
    }

    /**
     * Recovers the content of the disks in a background thread. Called when the gateway serves, because with many
     * blocks it would take the processors that a start needs.
     */
    void startRecovery() {
        blocks.ifPresent(cache -> DaemonThreads.start("cache-recovery", () -> recover(cache)));
    }

    /** Returns whether the metadata store can be used, as it was some seconds ago; true without a cache. */
    boolean isMetadataUsable() {
        return blocks.map(open -> open.administration().metadataStats().healthy())
                .orElse(true);
    }

    @Override
    public void close() {
        blocks.ifPresent(BlockCache::close);
    }

    private static void recover(BlockCache blocks) {
        long start = System.nanoTime();
        blocks.recover();
        log.info(
                "Recovery of the cache has ended: {} block(s) of earlier runs, {} ms",
                blocks.administration().stats().records(),
                Duration.ofNanos(System.nanoTime() - start).toMillis());
    }
}
