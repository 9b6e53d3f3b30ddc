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
     */
    public record CacheNumbers(long used, long capacity, long room, long records, int fills) {}
}
