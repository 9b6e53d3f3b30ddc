package io.millrace.cache;

/**
 * Numbers of a moment.
 *
 * @param used bytes of segments on the disks
 * @param capacity bytes they may take as the settings have it
 * @param available bytes they may take now: less where file systems have less
 * @param records heads and blocks that can be found
 * @param indexMemory bytes of the index
 * @param fills blocks on their way
 * @param inFlight bytes reserved for them
 */
public record CacheStats(
        long used, long capacity, long available, long records, long indexMemory, int fills, long inFlight) {}
