package io.millrace.cache;

/**
 * A snapshot of the cache's size in bytes and blocks, on disk and in memory, for metrics.
 *
 * @param used bytes of segments on the disks
 * @param capacity bytes that segments may take according to the settings
 * @param available bytes that segments may take now; less than {@code capacity} if file systems have less room
 * @param records stored blocks that can be found
 * @param indexMemory bytes of the index
 * @param fills blocks in flight
 * @param inFlight bytes of memory reserved for blocks in flight
 */
public record CacheOccupancy(
        long used, long capacity, long available, long records, long indexMemory, int fills, long inFlight) {}
