package io.millrace.gateway.objects.monitor;

import java.time.Instant;
import java.util.OptionalLong;

/**
 * The requests, hits and bytes of one period of the traffic history.
 *
 * @param at end of the period
 * @param millis length of the period
 * @param requests S3 requests that ended, without preflight requests of browsers
 * @param errors of these, requests that failed with 5xx or were broken off
 * @param hits GETs of objects served without a backend request
 * @param misses GETs that were fetched from a backend, or joined such a request
 * @param stale GETs of stale objects
 * @param bypassed GETs that bypassed the cache
 * @param inFlight running requests at the end of the period
 * @param bytesOut bytes of bodies written to clients
 * @param bytesCached bytes of these from the cache's disks
 * @param bytesFetched bytes of bodies read from backends, for clients and for jobs
 * @param p50Micros median time to the first byte of GETs; empty without GETs
 * @param p99Micros 99th percentile of that time
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
