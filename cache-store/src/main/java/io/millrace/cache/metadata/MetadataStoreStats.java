package io.millrace.cache.metadata;

/**
 * A snapshot of the metadata store's statistics: health, number of objects, disk space and memory.
 *
 * @param healthy whether the store can be used
 * @param entries estimated number of objects
 * @param diskBytes size of its files
 * @param memoryBytes memory outside the heap
 */
public record MetadataStoreStats(boolean healthy, long entries, long diskBytes, long memoryBytes) {
    MetadataStoreStats unhealthy() {
        return new MetadataStoreStats(false, entries, diskBytes, memoryBytes);
    }
}
