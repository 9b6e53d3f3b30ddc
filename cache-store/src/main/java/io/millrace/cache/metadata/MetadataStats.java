package io.millrace.cache.metadata;

/**
 * Numbers of the metadata store.
 *
 * @param healthy whether it can be used now
 * @param entries objects it knows, about
 * @param diskBytes that its files take
 * @param memoryBytes that it takes outside the heap
 */
public record MetadataStats(boolean healthy, long entries, long diskBytes, long memoryBytes) {
    MetadataStats unhealthy() {
        return new MetadataStats(false, entries, diskBytes, memoryBytes);
    }
}
