package io.millrace.cache;

import io.millrace.cache.disk.BlockStore;
import io.millrace.cache.disk.DiskUnavailableException;
import io.millrace.cache.index.Fingerprint;
import io.millrace.cache.metadata.MetadataCache;
import io.millrace.cache.metadata.MetadataStoreUnavailableException;
import io.millrace.cache.metadata.ObjectId;
import io.millrace.cache.metadata.ObjectIdCodec;
import io.millrace.cache.metadata.ObjectMetadata;
import io.millrace.cache.metadata.ObjectPrefix;
import io.millrace.cache.residency.GroupResidency;
import java.util.List;
import java.util.Optional;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Lists, counts, pins, checks and evicts cached objects. Safe for use by any number of threads. */
public final class CachedObjectAdministration {
    /** Objects that a scan reads at a time. */
    private static final int SCAN_PAGE = 500;

    private final BlockStore store;
    private final MetadataCache metadata;
    private final BlockLocator locator;

    CachedObjectAdministration(BlockStore store, MetadataCache metadata, BlockLocator locator) {
        this.store = store;
        this.metadata = metadata;
        this.locator = locator;
    }

    /** Returns the bytes of an object that are on disk. Looks up each block. */
    public long residentBytes(ObjectMetadata object) {
        return locator.residentBytes(object, 0, object.blocks());
    }

    /**
     * Returns the objects below a prefix that have stored metadata, possibly without blocks, in key order and on
     * demand. Fails with a {@link MetadataStoreUnavailableException} while the metadata store cannot be read.
     *
     * @param after the object to continue after; empty to start with the first
     */
    public Flux<ObjectMetadata> scan(ObjectPrefix below, Optional<ObjectId> after) {
        return page(below, after)
                .expand(page -> page.size() < SCAN_PAGE
                        ? Mono.empty()
                        : page(below, Optional.of(page.get(page.size() - 1).id())))
                .concatMapIterable(page -> page, 1);
    }

    private Mono<List<ObjectMetadata>> page(ObjectPrefix below, Optional<ObjectId> after) {
        return metadata.list(below, after, SCAN_PAGE);
    }

    /** Returns the share of a {@link #scan} that precedes an object, 0 to 1; an estimate. */
    public double scanProgress(ObjectPrefix below, ObjectId position) {
        return metadata.listProgress(below, position);
    }

    /**
     * Returns the SHA-256 of a block as it lies on its disk. A block that is corrupt or cannot be read is dropped, and
     * the result says so; empty if it is not stored. Fails with a {@link DiskUnavailableException} if its disk hangs.
     *
     * @param block from 0
     */
    public Mono<BlockHashResult> hashBlock(ObjectMetadata object, long block) {
        return new StoredBlockHasher(store).hash(store.hash().of(object.version(), block));
    }

    /** Drops one block. */
    public void removeBlock(ObjectMetadata object, long block) {
        store.drop(store.hash().of(object.version(), block));
    }

    /** Returns whether a block is on a disk, even one that cannot be read now. */
    public boolean containsBlock(ObjectMetadata object, long block) {
        Fingerprint key = store.hash().of(object.version(), block);
        return store.contains(key) || store.findUnavailableDisk(key).isPresent();
    }

    /**
     * Evicts an object: its metadata and its blocks.
     *
     * @return bytes of the blocks
     */
    public long evict(ObjectMetadata object) {
        metadata.invalidate(object.id());
        long bytes = 0;
        for (long block = 0; block < object.blocks(); block++) {
            bytes += store.drop(store.hash().of(object.version(), block));
        }
        return bytes;
    }

    /** Replaces the set of pinned objects, which eviction spares up to half of each disk. */
    public void pin(PinPredicate objects) {
        if (objects.isEmpty()) {
            store.unpinAll();
        } else {
            store.pin(identity ->
                    ObjectIdCodec.decode(identity).filter(objects::isPinned).isPresent());
        }
    }

    /** Returns the residency of each tracked prefix, in the order of the settings. */
    public List<GroupResidency> groups() {
        return store.groups();
    }

    /** Returns the residency of one tracked prefix, by its place in the settings. */
    public GroupResidency groups(int at) {
        return store.group(at);
    }
}
