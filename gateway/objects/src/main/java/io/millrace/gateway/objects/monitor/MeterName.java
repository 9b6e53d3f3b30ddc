package io.millrace.gateway.objects.monitor;

/** The names and descriptions of all meters; at {@code /metrics} dots become underscores. */
public enum MeterName {
    FIRST_BYTE(
            "millrace.s3.first.byte",
            "From the request's head to the first byte of the response's body, by operation and outcome"),
    REQUEST(
            "millrace.s3.request",
            "From the request's head to the last byte taken by the socket, by operation and outcome"),
    IN_FLIGHT("millrace.s3.in.flight", "Requests in progress"),
    CONNECTIONS("millrace.s3.connections", "Open connections of clients, without refused ones"),
    CONNECTIONS_LIMIT("millrace.s3.connections.limit", "Connections of clients that may be open at one time"),
    CONNECTIONS_REFUSED(
            "millrace.s3.connections.refused", "Connections refused or cut before a request was served, by reason"),
    THROTTLED("millrace.s3.throttled", "Requests refused because their identity is beyond its limits"),
    FAST_PATH(
            "millrace.s3.fast.path",
            "GETs and HEADs served at once from memory; the others are served on the general path"),
    BYTES_OUT("millrace.s3.sent.bytes", "Bytes of bodies written to clients, by operation"),
    BYTES_IN("millrace.s3.received.bytes", "Bytes of bodies announced by authorized requests, by operation"),
    BACKEND_CALL(
            "millrace.backend.call",
            "From a call of a backend to the head of its response, without waits for the body to send, by backend, operation and outcome"),
    BACKEND_RETRIES("millrace.backend.retries", "Requests that were sent again after a failure, by backend"),
    BACKEND_HEDGES("millrace.backend.hedges", "Reads that were sent twice at one time, by backend"),
    BACKEND_REFUSED("millrace.backend.refused", "Requests that were not sent because the backend is down, by backend"),
    BACKEND_DEADLINES("millrace.backend.deadlines", "Requests without a response at their deadline, by backend"),
    BACKEND_DOWN("millrace.backend.down", "1 while a backend counts as down and gets a request a second, by backend"),
    BACKEND_LIMIT("millrace.backend.limit", "Requests that may wait for a response at one time, by backend"),
    BACKEND_IN_FLIGHT("millrace.backend.in.flight", "Requests that wait for a response, by backend"),
    BACKEND_QUEUED("millrace.backend.queued", "Requests that wait to be sent, by backend"),
    BACKEND_BYTES_IN("millrace.backend.received.bytes", "Bytes of bodies read from backends, by backend"),
    BACKEND_BYTES_OUT("millrace.backend.sent.bytes", "Bytes of bodies written to backends, by backend"),
    AUDIT_LINES("millrace.audit.lines", "Lines written to the audit log"),
    AUDIT_LOST("millrace.audit.lost", "Requests that should be in the audit log and are not"),
    AUDIT_FAILING("millrace.audit.failing", "1 while the audit log cannot be written"),
    LOOP_LAG("millrace.event.loop.lag", "Delay of tasks on the event loops that serve S3"),
    CACHE_REQUESTS("millrace.cache.requests", "GETs of objects, by the result of the cache"),
    CACHE_SERVED("millrace.cache.served.bytes", "Bytes of bodies served from the cache's disks"),
    CACHE_FETCHED("millrace.cache.fetched.bytes", "Bytes of bodies that fills fetched from backends"),
    CACHE_STORED("millrace.cache.stored.bytes", "Bytes of bodies written to the cache's disks"),
    CACHE_NOT_STORED("millrace.cache.not.stored.bytes", "Bytes of bodies that no disk could take"),
    CACHE_NOT_ADMITTED("millrace.cache.not.admitted.bytes", "Bytes of bodies read too seldom to replace others"),
    CACHE_EVICTED("millrace.cache.evicted.bytes", "Bytes of evicted segments"),
    CACHE_COPIED_FORWARD("millrace.cache.copied.forward.bytes", "Bytes of evicted segments that were copied forward"),
    CACHE_HIT_RATIO_ESTIMATE(
            "millrace.cache.hit.ratio.estimate",
            "Estimated hit ratio of recent block reads at a multiple of the cache's size, from a sample"),
    CACHE_FETCHES("millrace.cache.fetches", "Fetches from backends by fills"),
    CACHE_COLLAPSED("millrace.cache.collapsed", "Readers that joined a fill of another reader"),
    CACHE_CORRUPT("millrace.cache.corrupt", "Blocks that failed their checksums and were dropped"),
    CHECKSUM_MISMATCHES(
            "millrace.cache.checksum.mismatches",
            "Reads of whole objects whose bytes did not have the checksum that the backend gave"),
    CACHE_DISK_ERRORS("millrace.cache.disk.errors", "Failed reads and writes of the cache's disks"),
    CACHE_USED("millrace.cache.used.bytes", "Bytes of segments on the cache's disks"),
    CACHE_SIZE("millrace.cache.size.bytes", "Bytes that the settings allow for segments"),
    CACHE_AVAILABLE(
            "millrace.cache.available.bytes",
            "Bytes that segments may take now: less than the settings allow if a file system is too full"),
    CACHE_BLOCKS("millrace.cache.blocks", "Blocks in the cache"),
    CACHE_INDEX("millrace.cache.index.bytes", "Bytes of memory of the block index"),
    CACHE_FILLS("millrace.cache.fills", "Blocks being filled"),
    CACHE_IN_FLIGHT("millrace.cache.fill.memory.bytes", "Bytes of memory reserved for blocks being filled"),
    CACHE_SCRUBBED("millrace.cache.scrubbed.bytes", "Bytes verified by the scrub"),
    DISK_STATE("millrace.disk.state", "1 for a disk's current state, 0 for the others, by disk and state"),
    DISK_SLOWNESS(
            "millrace.disk.slowness",
            "Time of disk reads divided by the time of fetches of the same sizes, by disk; 0 if unknown"),
    SCRUB_AGE("millrace.disk.scrub.age.seconds", "Seconds since the oldest verification on a disk, by disk"),
    SCRUB_CORRUPT("millrace.disk.scrub.corrupt", "Corrupt blocks that the scrub found since the start, by disk"),
    METADATA_HEALTHY("millrace.metadata.healthy", "Whether the metadata store can be used: 1 or 0"),
    METADATA_OBJECTS("millrace.metadata.objects", "Estimated number of objects with stored metadata"),
    METADATA_DISK("millrace.metadata.disk.bytes", "Bytes of the metadata store on its disk"),
    METADATA_MEMORY("millrace.metadata.memory.bytes", "Bytes of memory of the metadata store outside the heap"),
    RESIDENT_BYTES("millrace.cache.resident.bytes", "Bytes of cached blocks, by tracked bucket and prefix"),
    RESIDENT_BLOCKS("millrace.cache.resident.blocks", "Cached blocks, by tracked bucket and prefix"),
    CACHE_QUOTA("millrace.cache.quota.bytes", "Quota of a bucket in bytes"),
    SAVED_REQUESTS(
            "millrace.saved.requests",
            "GETs and HEADs served to clients less those sent to backends, by the bucket's names for clients and at its backend"),
    SAVED_BYTES(
            "millrace.saved.bytes",
            "Bytes of bodies served to clients less those fetched, by the bucket's names for clients and at its backend"),
    SAVED_MONEY(
            "millrace.saved.money",
            "Price of the saved requests and bytes, by the bucket's names for clients and at its backend"),
    SETTINGS_RELOADS("millrace.settings.reloads", "Reloads of the settings file, by outcome"),
    SETTINGS_LOADED(
            "millrace.settings.loaded",
            "When the settings in force were read or last confirmed, in seconds since 1970"),
    SETTINGS_PENDING("millrace.settings.pending", "Changed settings that need a restart, as of the last reload"),
    JOBS("millrace.jobs", "Jobs, by state"),
    JOB_OBJECTS("millrace.job.objects", "Objects that jobs processed, by kind and outcome"),
    JOB_BYTES("millrace.job.bytes", "Bytes that jobs moved, by kind");

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
