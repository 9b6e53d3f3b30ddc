package io.millrace.gateway.control;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * The gateway at a moment.
 *
 * @param started when this process began to serve
 * @param backends by the names of the operator's file
 * @param cache none if no disk is configured
 */
public record GatewayStatus(
        String version,
        Instant started,
        long uptimeSeconds,
        int s3Port,
        List<String> backends,
        Optional<CacheNumbers> cache) {
    public GatewayStatus {
        backends = List.copyOf(backends);
    }

    /**
     * The cache's numbers, in bytes unless they count.
     *
     * @param used on the disks
     * @param capacity as the settings have it
     * @param room what it may take now: less where file systems have less
     * @param records heads and blocks
     * @param fills blocks on their way
     * @param disks one by one
     */
    public record CacheNumbers(long used, long capacity, long room, long records, int fills, List<DiskNumbers> disks) {
        public CacheNumbers {
            disks = List.copyOf(disks);
        }
    }

    /**
     * A disk of the cache.
     *
     * @param state {@code good}; {@code recovering} while what earlier runs left is being read; {@code full} if its file system
     *     has no room; {@code resting} for a while after writing failed
     * @param size bytes it may take as the settings have it
     * @param room what it may take now
     * @param waiting bytes that wait to be written
     * @param segments its files
     */
    public record DiskNumbers(String path, String state, long size, long used, long room, long waiting, int segments) {}
}
