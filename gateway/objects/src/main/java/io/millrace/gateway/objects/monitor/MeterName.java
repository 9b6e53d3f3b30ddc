package io.millrace.gateway.objects.monitor;

/** The names and descriptions of all meters; at {@code /metrics} dots become underscores. */
public enum MeterName {
    FIRST_BYTE(
            "millrace.s3.first.byte",
            "From the request's head to the first byte of the answer's body, by operation and outcome"),
    REQUEST(
            "millrace.s3.request",
            "From the request's head to the last byte taken by the socket, by operation and outcome"),
    IN_FLIGHT("millrace.s3.in.flight", "Requests being answered now"),
    BYTES_OUT("millrace.s3.bytes.out", "Bytes of bodies written to clients, by operation"),
    BYTES_IN("millrace.s3.bytes.in", "Bytes of bodies announced with admitted requests, by operation"),
    BACKEND_CALL("millrace.backend.call", "From a call of a backend to its head, by backend, operation and outcome"),
    BACKEND_BYTES_IN("millrace.backend.bytes.in", "Bytes of bodies read from backends, by backend"),
    BACKEND_BYTES_OUT("millrace.backend.bytes.out", "Bytes of bodies written to backends, by backend"),
    LOOP_LAG("millrace.event.loop.lag", "How late the event loops that serve S3 run what is due"),
    CACHE_ANSWERS("millrace.cache.answers", "GETs of objects, by what the cache was for them"),
    CACHE_SERVED(
            "millrace.cache.bytes.served", "Bytes of bodies that were on the cache's disks before their reader came"),
    CACHE_FETCHED("millrace.cache.bytes.fetched", "Bytes of bodies that fills read from backends"),
    CACHE_STORED("millrace.cache.bytes.stored", "Bytes of bodies written to the cache's disks"),
    CACHE_NOT_STORED("millrace.cache.bytes.not.stored", "Bytes of bodies that no disk took"),
    CACHE_NOT_ADMITTED(
            "millrace.cache.bytes.not.admitted",
            "Bytes of bodies that were read too seldom to take the place of others"),
    CACHE_EVICTED("millrace.cache.bytes.evicted", "Bytes of segments that were removed to make room"),
    CACHE_MOVED("millrace.cache.bytes.moved", "Bytes of removed segments that were worth keeping and copied"),
    CACHE_HIT_RATIO_AT(
            "millrace.cache.hit.ratio.at",
            "Part of the late reads of blocks that would have been hits at so many times the size, by a sample"),
    CACHE_FETCHES("millrace.cache.fetches", "Requests to backends that fill the cache"),
    CACHE_JOINS("millrace.cache.joins", "Readers that followed a fill which another had begun"),
    CACHE_CORRUPT("millrace.cache.corrupt", "Records that did not match their checksums and were dropped"),
    CACHE_DISK_ERRORS("millrace.cache.disk.errors", "Reads and writes that a disk of the cache failed"),
    CACHE_USED("millrace.cache.used", "Bytes that segments take on the cache's disks now"),
    CACHE_SIZE("millrace.cache.size", "Bytes that segments may take on the cache's disks, as the settings have it"),
    CACHE_ROOM("millrace.cache.room", "Bytes that they may take now: less where file systems are fuller than that"),
    CACHE_RECORDS("millrace.cache.records", "Heads and blocks in the cache now"),
    CACHE_INDEX("millrace.cache.index", "Bytes of memory that the cache's index takes now"),
    CACHE_FILLS("millrace.cache.fills", "Blocks on their way into the cache now"),
    CACHE_IN_FLIGHT("millrace.cache.in.flight", "Bytes of memory reserved for blocks on their way now"),
    CACHE_SCRUBBED(
            "millrace.cache.bytes.scrubbed", "Bytes of the cache's disks that were looked at though nobody had asked"),
    DISK_STATE("millrace.disk.state", "1 for the state a disk of the cache is in, 0 for the others, by disk and state"),
    DISK_SLOWNESS(
            "millrace.disk.slowness",
            "How many times as long as a backend a disk takes for the same bytes, of reads that wait for it; 0 if unknown"),
    SCRUB_AGE("millrace.disk.scrub.age", "Seconds since what was looked at longest ago on a disk was, by disk"),
    SCRUB_BAD("millrace.disk.scrub.bad", "Records that scrubbing found bad since the start, by disk"),
    METADATA_HEALTHY("millrace.metadata.healthy", "Whether the metadata store can be used: 1 or 0"),
    METADATA_OBJECTS("millrace.metadata.objects", "Objects whose metadata is stored, about"),
    METADATA_DISK("millrace.metadata.disk.bytes", "Bytes that the metadata store takes on its disk"),
    METADATA_MEMORY("millrace.metadata.memory.bytes", "Bytes of memory outside the heap that the metadata store takes"),
    CACHE_COUNTED_BYTES(
            "millrace.cache.counted.bytes",
            "Bytes of blocks in the cache now, of each bucket and prefix that is counted"),
    CACHE_COUNTED_BLOCKS(
            "millrace.cache.counted.blocks", "Blocks in the cache now, of each bucket and prefix that is counted"),
    CACHE_SHARE("millrace.cache.share", "Bytes that blocks of a bucket may take, where it has a quota"),
    SAVED_REQUESTS(
            "millrace.saved.requests",
            "GETs and HEADs of objects that were answered, less those that were sent, by the bucket's names for clients and at its backend"),
    SAVED_BYTES(
            "millrace.saved.bytes",
            "Bytes of bodies that were read, less those that were fetched, by the bucket's names for clients and at its backend"),
    SAVED_MONEY(
            "millrace.saved.money",
            "What both would have cost by the price list, by the bucket's names for clients and at its backend"),
    JOBS("millrace.jobs", "Jobs that are remembered, by state"),
    JOB_OBJECTS("millrace.job.objects", "Objects that jobs have ended with, by kind and outcome"),
    JOB_BYTES("millrace.job.bytes", "Bytes that jobs have moved, by kind");

    private final String wireName;
    private final String description;

    MeterName(String wireName, String description) {
        this.wireName = wireName;
        this.description = description;
    }

    public String wireName() {
        return wireName;
    }

    public String description() {
        return description;
    }
}
