package io.millrace.gateway.control;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * The state of the gateway, its cache and its disks at one moment.
 *
 * @param started when this process began to serve
 * @param alarms what is wrong with the gateway as a whole; {@code /api/v1/alarms} lists those of disks, backends,
 *     buckets and jobs too
 * @param backends their names in the settings
 * @param cache empty if no disk is configured
 * @param reads GETs of objects since the start, by the result of the cache
 * @param saved requests and bytes that the cache saved since the start, by bucket
 */
public record GatewayStatus(
        String version,
        Instant started,
        long uptimeSeconds,
        int s3Port,
        List<Alarm> alarms,
        List<String> backends,
        Optional<CacheUsage> cache,
        ReadCounts reads,
        List<SavingsSummary> saved) {
    public GatewayStatus {
        alarms = List.copyOf(alarms);
        backends = List.copyOf(backends);
        saved = List.copyOf(saved);
    }

    GatewayStatus withAlarms(List<Alarm> others) {
        return new GatewayStatus(version, started, uptimeSeconds, s3Port, others, backends, cache, reads, saved);
    }

    /**
     * The GETs of objects that clients sent, by the result of the cache.
     *
     * @param hits those served without a request to a backend
     * @param misses those that were fetched from a backend, or joined such a request
     * @param stale those of stale objects
     * @param bypassed those that bypassed the cache
     */
    public record ReadCounts(long hits, long misses, long stale, long bypassed) {}

    /**
     * The usage of the cache. Sizes are in bytes.
     *
     * @param used bytes of segments on the disks
     * @param capacity the sum of the sizes in the settings
     * @param available bytes it may take now: less than {@code capacity} where a file system has less free space or a
     *     disk is lost
     * @param records number of cached blocks
     * @param fills number of blocks that are being filled
     * @param residencyComplete false while recovery still reads what earlier runs left, so that {@code residency} is
     *     incomplete
     * @param residency the residency of each bucket and prefix for which it is tracked
     */
    public record CacheUsage(
            long used,
            long capacity,
            long available,
            long records,
            int fills,
            List<DiskStatus> disks,
            boolean residencyComplete,
            List<ResidencyCount> residency) {
        public CacheUsage {
            disks = List.copyOf(disks);
            residency = List.copyOf(residency);
        }
    }

    /**
     * The residency of a bucket or prefix.
     *
     * @param bucket the name that clients use; the first name in the settings if several entries share the count
     * @param prefix as clients see it
     * @param backendBucket the bucket's name at the backend
     * @param backendPrefix the prefix at the backend
     * @param blocks number of cached blocks
     * @param cachedBytes size of these blocks
     * @param quotaBytes the bucket's quota; empty if it has none
     */
    public record ResidencyCount(
            String bucket,
            String prefix,
            String backend,
            String backendBucket,
            String backendPrefix,
            long blocks,
            long cachedBytes,
            Optional<Long> quotaBytes) {}

    /**
     * Reads of a bucket, and the requests and bytes that the cache saved.
     *
     * @param bucket the name that clients use, or several joined by {@code ", "}, because they share the backend's
     *     bucket; empty for all buckets beyond the limit
     * @param backendBucket its name at the backend
     * @param requestsServed GETs and HEADs of objects that clients sent, and items of batches
     * @param servedBytes bytes of the response bodies
     * @param requestsSent GETs and HEADs of objects that were sent to the backend
     * @param fetchedBytes bytes of bodies that the backend sent
     * @param requestsSaved {@code requestsServed - requestsSent}, which may be negative
     * @param savedBytes {@code servedBytes - fetchedBytes}, which may be negative
     * @param moneySaved the price of the saved requests and bytes; empty if the settings have no price
     */
    public record SavingsSummary(
            String bucket,
            String backend,
            String backendBucket,
            long requestsServed,
            long servedBytes,
            long requestsSent,
            long fetchedBytes,
            long requestsSaved,
            long savedBytes,
            Optional<Double> moneySaved) {}

    /**
     * The state and usage of a cache disk.
     *
     * @param number its number in requests, from 0
     * @param state {@code healthy}; {@code recovering} while recovery reads what earlier runs left; {@code full} if its
     *     file system has no room; {@code paused} while nothing is written, for a while after a write failed or hung;
     *     {@code failing} while reads bypass it; {@code lost}
     * @param since when it was first seen in this state
     * @param why reason for that state; empty if the state says all
     * @param size bytes it may take by the settings
     * @param available bytes it may take now; 0 if the disk is lost
     * @param waiting bytes that wait to be written
     * @param segments number of its segment files, with the one being written
     * @param slowness time of a disk read divided by the time of a backend fetch of as many bytes; 0 if unknown
     * @param slowSince when it was first seen to be clearly slower than the backend; empty if it is not
     * @param squeezedSince since when other files have left it less than half of its size; empty if they do not
     * @param scrub progress of the scrub
     */
    public record DiskStatus(
            int number,
            String path,
            String state,
            Instant since,
            String why,
            long size,
            long used,
            long available,
            long waiting,
            int segments,
            double slowness,
            Optional<Instant> slowSince,
            Optional<Instant> squeezedSince,
            ScrubStatus scrub) {}

    /**
     * The progress of the scrub of a disk.
     *
     * @param underWay whether a pass is running
     * @param percent progress of that pass
     * @param lastEnded when the last pass of this process ended
     * @param records number of records verified since the start
     * @param readBytes bytes read for that
     * @param bad number of records that were corrupt
     * @param lastBad when the last of them was found
     * @param oldest when the record that was verified longest ago was verified
     */
    public record ScrubStatus(
            boolean underWay,
            int percent,
            Optional<Instant> lastEnded,
            long records,
            long readBytes,
            long bad,
            Optional<Instant> lastBad,
            Optional<Instant> oldest) {}
}
