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
 * @param saved what was saved of each bucket since the start
 */
public record GatewayStatus(
        String version,
        Instant started,
        long uptimeSeconds,
        int s3Port,
        List<String> backends,
        Optional<CacheNumbers> cache,
        List<SavedNumbers> saved) {
    public GatewayStatus {
        backends = List.copyOf(backends);
        saved = List.copyOf(saved);
    }

    /**
     * The cache's numbers, in bytes unless they count.
     *
     * @param used on the disks
     * @param capacity as the settings have it
     * @param room what it may take now: less where file systems have less
     * @param records blocks
     * @param fills blocks on their way
     * @param disks one by one
     * @param allCounted whether {@code counted} tells all there is: not while what earlier runs left is still being read
     * @param counted of each bucket and prefix that is counted
     */
    public record CacheNumbers(
            long used,
            long capacity,
            long room,
            long records,
            int fills,
            List<DiskNumbers> disks,
            boolean allCounted,
            List<CountedNumbers> counted) {
        public CacheNumbers {
            disks = List.copyOf(disks);
            counted = List.copyOf(counted);
        }
    }

    /**
     * What is cached of a bucket or prefix.
     *
     * @param bucket the name that clients use; of the first entry of the file if several count the same
     * @param prefix as clients see it
     * @param backendBucket the bucket's name at the backend
     * @param backendPrefix what the keys begin with there
     * @param blocks on the disks
     * @param cachedBytes of the blocks
     * @param shareBytes what they may be; none if that is whatever there is
     */
    public record CountedNumbers(
            String bucket,
            String prefix,
            String backend,
            String backendBucket,
            String backendPrefix,
            long blocks,
            long cachedBytes,
            Optional<Long> shareBytes) {}

    /**
     * Reads of a bucket, and what of them the backend was spared.
     *
     * @param bucket the name that clients use, or several joined by commas; empty for all that are too many to tell apart
     * @param backendBucket its name at the backend
     * @param requestsServed GETs and HEADs of objects that were answered
     * @param servedBytes bytes of the answers' bodies
     * @param requestsSent GETs and HEADs of objects that were sent to the backend
     * @param fetchedBytes bytes of bodies that came from there
     * @param requestsSaved the difference, which may be below 0
     * @param savedBytes the same
     * @param moneySaved what both would have cost by the price list; none if there is no price
     */
    public record SavedNumbers(
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
     * A disk of the cache.
     *
     * @param number by which it is named in requests, from 0
     * @param state {@code good}; {@code recovering} while what earlier runs left is being read; {@code full} if its file system
     *     has no room; {@code resting} for a while after writing failed, or while it hangs; {@code failing} while it is bypassed;
     *     {@code lost}
     * @param why it is in that state; empty where that tells all
     * @param size bytes it may take as the settings have it
     * @param room what it may take now
     * @param waiting bytes that wait to be written
     * @param segments its files
     * @param slowness how many times as long as a backend it takes for the same bytes, of reads that wait for it; 0 where that
     *     cannot be told
     * @param scrub how the look at what lies there gets on
     */
    public record DiskNumbers(
            int number,
            String path,
            String state,
            String why,
            long size,
            long used,
            long room,
            long waiting,
            int segments,
            double slowness,
            ScrubNumbers scrub) {}

    /**
     * How the look at what lies on a disk gets on.
     *
     * @param underWay whether a pass is
     * @param percent of it that is done
     * @param lastEnded when the last pass of this process ended
     * @param records that were looked at since the start
     * @param readBytes bytes that were read for that
     * @param bad records that were not what they should be
     * @param oldest when what was looked at longest ago was
     */
    public record ScrubNumbers(
            boolean underWay,
            int percent,
            Optional<Instant> lastEnded,
            long records,
            long readBytes,
            long bad,
            Optional<Instant> oldest) {}
}
