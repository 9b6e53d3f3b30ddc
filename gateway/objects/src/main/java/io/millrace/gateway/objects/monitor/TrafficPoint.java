package io.millrace.gateway.objects.monitor;

import java.time.Instant;
import java.util.OptionalLong;

/**
 * What went through in a while, in counts and bytes of that while.
 *
 * @param at its end
 * @param millis its length
 * @param requests of S3 that ended
 * @param errors of these, answered with 5xx or broken off
 * @param hits GETs of objects that were answered without asking a backend
 * @param misses GETs that a backend was asked for, or another GET's question answered
 * @param stale GETs of what was too old
 * @param bypassed GETs that went past the cache
 * @param inFlight requests under way at its end
 * @param bytesOut of bodies written to clients
 * @param bytesCached of these, from the cache's disks
 * @param bytesFetched of bodies read from backends, for clients and for jobs
 * @param p50Micros from the head of a GET to the first byte of its answer, for one of two; none without GETs
 * @param p99Micros the same for 99 of 100
 */
public record TrafficPoint(
        Instant at,
        long millis,
        long requests,
        long errors,
        long hits,
        long misses,
        long stale,
        long bypassed,
        long inFlight,
        long bytesOut,
        long bytesCached,
        long bytesFetched,
        OptionalLong p50Micros,
        OptionalLong p99Micros) {}
