package io.millrace.gateway.objects.monitor;

import java.util.List;

/**
 * The names, kinds, labels and descriptions of all meters, by the conventions of Prometheus: the unit is in the name,
 * counters never fall. {@code docs/metrics.md} is written from them.
 */
public enum MeterName {
    REQUEST(
            Kind.HISTOGRAM,
            "millrace.s3.request",
            "From the request's head to the last byte taken by the socket, by operation and outcome",
            "operation",
            "outcome"),
    FIRST_BYTE(
            Kind.HISTOGRAM,
            "millrace.s3.first.byte",
            "From the request's head to the first byte of the response's body, by operation and outcome",
            "operation",
            "outcome"),
    ERRORS(
            Kind.COUNTER,
            "millrace.s3.errors",
            "Responses of 400 and above, by operation, HTTP status and error code; beyond 1,000 combinations the code"
                    + " is (others)",
            "operation",
            "status",
            "code"),
    BYTES_OUT(Kind.COUNTER, "millrace.s3.sent.bytes", "Bytes of bodies written to clients, by operation", "operation"),
    BYTES_IN(
            Kind.COUNTER,
            "millrace.s3.received.bytes",
            "Bytes of bodies announced by authorized requests, by operation",
            "operation"),
    IN_FLIGHT(Kind.GAUGE, "millrace.s3.in.flight", "Requests in progress"),
    CONNECTIONS(
            Kind.GAUGE,
            "millrace.s3.connections",
            "Open connections of clients of a port, without refused ones",
            "port"),
    CONNECTIONS_LIMIT(
            Kind.GAUGE,
            "millrace.s3.connections.limit",
            "Connections of clients of a port that may be open at one time",
            "port"),
    CONNECTIONS_REFUSED(
            Kind.COUNTER,
            "millrace.s3.connections.refused",
            "Connections refused, or closed without a request in progress, by port and reason",
            "port",
            "reason"),
    THROTTLED(Kind.COUNTER, "millrace.s3.throttled", "Requests refused because their identity is beyond its limits"),
    FAST_PATH(
            Kind.COUNTER,
            "millrace.s3.fast.path",
            "GETs and HEADs served at once from memory; the others are served on the general path"),
    BATCH_ITEMS(
            Kind.COUNTER,
            "millrace.s3.batch.items",
            "Items of batches, by outcome: hit (nothing was fetched for its first bytes), fetched, absent, denied,"
                    + " failed",
            "outcome"),
    BUCKET_REQUESTS(
            Kind.COUNTER,
            "millrace.bucket.requests",
            "Authorized requests, by the bucket that clients name and outcome",
            "bucket",
            "outcome"),
    BUCKET_CACHE_REQUESTS(
            Kind.COUNTER,
            "millrace.bucket.cache.requests",
            "GETs of objects, by the bucket that clients name and the result of the cache",
            "bucket",
            "result"),
    BUCKET_BYTES_OUT(
            Kind.COUNTER,
            "millrace.bucket.sent.bytes",
            "Bytes of bodies written to clients, by the bucket that they name",
            "bucket"),
    BUCKET_BYTES_IN(
            Kind.COUNTER,
            "millrace.bucket.received.bytes",
            "Bytes of bodies announced by authorized requests, by the bucket that they name",
            "bucket"),
    BUCKET_FIRST_BYTE(
            Kind.HISTOGRAM,
            "millrace.bucket.first.byte",
            "From the head of an authorized request to the first byte of the response's body, by the bucket that"
                    + " clients name",
            "bucket"),
    BUCKET_STATE(
            Kind.GAUGE,
            "millrace.bucket.state",
            "1 for the state of a bucket that the settings name or that is among the 50 busiest of patterns, 0 for the"
                    + " others, as of the last check",
            "bucket",
            "backend",
            "state"),
    IDENTITY_REQUESTS(
            Kind.COUNTER,
            "millrace.identity.requests",
            "Authorized requests, by identity and outcome; only with admin.metrics-by-identity",
            "identity",
            "outcome"),
    IDENTITY_CACHE_REQUESTS(
            Kind.COUNTER,
            "millrace.identity.cache.requests",
            "GETs of objects, by identity and the result of the cache; only with admin.metrics-by-identity",
            "identity",
            "result"),
    IDENTITY_BYTES_OUT(
            Kind.COUNTER,
            "millrace.identity.sent.bytes",
            "Bytes of bodies written to clients, by identity; only with admin.metrics-by-identity",
            "identity"),
    IDENTITY_BYTES_IN(
            Kind.COUNTER,
            "millrace.identity.received.bytes",
            "Bytes of bodies announced by authorized requests, by identity; only with admin.metrics-by-identity",
            "identity"),
    IDENTITY_FIRST_BYTE(
            Kind.HISTOGRAM,
            "millrace.identity.first.byte",
            "From the head of an authorized request to the first byte of the response's body, by identity; only with"
                    + " admin.metrics-by-identity",
            "identity"),
    BACKEND_UP(
            Kind.GAUGE,
            "millrace.backend.up",
            "1 if the backend answered the last check, 0 if it failed or rejected the credentials; a scrape lets check"
                    + " once a minute",
            "backend"),
    BACKEND_DOWN(
            Kind.GAUGE,
            "millrace.backend.down",
            "1 while the circuit breaker is open and the backend gets a request a second, by backend",
            "backend"),
    BACKEND_CALL(
            Kind.HISTOGRAM,
            "millrace.backend.call",
            "From a call of a backend to the head of its response, without waits for the body to send, by backend,"
                    + " operation and outcome",
            "backend",
            "operation",
            "outcome"),
    BACKEND_RETRIES(
            Kind.COUNTER,
            "millrace.backend.retries",
            "Requests that were sent again after a failure, by backend",
            "backend"),
    BACKEND_HEDGES(
            Kind.COUNTER, "millrace.backend.hedges", "Reads that were sent twice at one time, by backend", "backend"),
    BACKEND_REFUSED(
            Kind.COUNTER,
            "millrace.backend.refused",
            "Requests that were not sent because the backend is down, by backend",
            "backend"),
    BACKEND_DEADLINES(
            Kind.COUNTER,
            "millrace.backend.deadlines",
            "Requests without a response at their deadline, by backend",
            "backend"),
    BACKEND_LIMIT(
            Kind.GAUGE,
            "millrace.backend.limit",
            "Requests that may wait for a response at one time, by backend",
            "backend"),
    BACKEND_IN_FLIGHT(
            Kind.GAUGE, "millrace.backend.in.flight", "Requests that wait for a response, by backend", "backend"),
    BACKEND_QUEUED(Kind.GAUGE, "millrace.backend.queued", "Requests that wait to be sent, by backend", "backend"),
    BACKEND_CLIENT_STREAMS(
            Kind.GAUGE,
            "millrace.backend.client.streams",
            "Uploads, and reads that bypass the cache, which hold a connection as long as their clients like, by"
                    + " backend",
            "backend"),
    BACKEND_BYTES_IN(
            Kind.COUNTER,
            "millrace.backend.received.bytes",
            "Bytes of bodies read from backends, by backend",
            "backend"),
    BACKEND_BYTES_OUT(
            Kind.COUNTER, "millrace.backend.sent.bytes", "Bytes of bodies written to backends, by backend", "backend"),
    CACHE_REQUESTS(Kind.COUNTER, "millrace.cache.requests", "GETs of objects, by the result of the cache", "result"),
    CACHE_SERVED(Kind.COUNTER, "millrace.cache.served.bytes", "Bytes of bodies served from the cache's disks"),
    CACHE_FETCHED(Kind.COUNTER, "millrace.cache.fetched.bytes", "Bytes of bodies that fills fetched from backends"),
    CACHE_STORED(Kind.COUNTER, "millrace.cache.stored.bytes", "Bytes of bodies written to the cache's disks"),
    CACHE_NOT_STORED(Kind.COUNTER, "millrace.cache.not.stored.bytes", "Bytes of bodies that no disk could take"),
    CACHE_NOT_ADMITTED(
            Kind.COUNTER,
            "millrace.cache.not.admitted.bytes",
            "Bytes of bodies read too seldom to replace others, by reason: capacity (the disks are full), index-memory"
                    + " (the index is), quota (that of the bucket or prefix is used up)",
            "reason"),
    CACHE_EVICTED(
            Kind.COUNTER,
            "millrace.cache.evicted.bytes",
            "Bytes of evicted segments, by reason: capacity (the disks are full), index-memory (the index is), no-room"
                    + " (a disk cannot take copies)",
            "reason"),
    CACHE_QUOTA_REMOVED(
            Kind.COUNTER,
            "millrace.cache.quota.removed.bytes",
            "Bytes of blocks removed because their bucket or prefix was beyond its quota; their segments are evicted"
                    + " later"),
    CACHE_COPIED_FORWARD(
            Kind.COUNTER, "millrace.cache.copied.forward.bytes", "Bytes of evicted segments that were copied forward"),
    CACHE_HIT_RATIO_ESTIMATE(
            Kind.GAUGE,
            "millrace.cache.hit.ratio.estimate",
            "Estimated hit ratio of recent block reads at a multiple of the cache's size, from a sample; NaN below"
                    + " 1,000 sampled reads",
            "size"),
    CACHE_FETCHES(Kind.COUNTER, "millrace.cache.fetches", "Fetches from backends by fills"),
    CACHE_COLLAPSED(Kind.COUNTER, "millrace.cache.collapsed", "Readers that joined a fill of another reader"),
    CACHE_CORRUPT(Kind.COUNTER, "millrace.cache.corrupt", "Blocks that failed their checksums and were dropped"),
    CHECKSUM_MISMATCHES(
            Kind.COUNTER,
            "millrace.cache.checksum.mismatches",
            "Reads of whole objects whose bytes did not have the checksum that the backend gave"),
    CACHE_DISK_ERRORS(Kind.COUNTER, "millrace.cache.disk.errors", "Failed reads and writes of the cache's disks"),
    CACHE_USED(Kind.GAUGE, "millrace.cache.used.bytes", "Bytes of segments on the cache's disks"),
    CACHE_SIZE(Kind.GAUGE, "millrace.cache.size.bytes", "Bytes that the settings allow for segments"),
    CACHE_AVAILABLE(
            Kind.GAUGE,
            "millrace.cache.available.bytes",
            "Bytes that segments may take now: less than the settings allow if a file system is too full"),
    CACHE_BLOCKS(Kind.GAUGE, "millrace.cache.blocks", "Blocks in the cache"),
    CACHE_INDEX(Kind.GAUGE, "millrace.cache.index.bytes", "Bytes of memory of the block index"),
    CACHE_FILLS(Kind.GAUGE, "millrace.cache.fills", "Blocks being filled"),
    CACHE_IN_FLIGHT(Kind.GAUGE, "millrace.cache.fill.memory.bytes", "Bytes of memory reserved for blocks being filled"),
    CACHE_SCRUBBED(Kind.COUNTER, "millrace.cache.scrubbed.bytes", "Bytes verified by the scrub"),
    RESIDENT_BYTES(
            Kind.GAUGE,
            "millrace.cache.resident.bytes",
            "Bytes of cached blocks, by tracked bucket and prefix",
            "bucket",
            "prefix",
            "backend",
            "backend_bucket",
            "backend_prefix"),
    RESIDENT_BLOCKS(
            Kind.GAUGE,
            "millrace.cache.resident.blocks",
            "Cached blocks, by tracked bucket and prefix",
            "bucket",
            "prefix",
            "backend",
            "backend_bucket",
            "backend_prefix"),
    CACHE_QUOTA(
            Kind.GAUGE,
            "millrace.cache.quota.bytes",
            "Quota of a bucket in bytes, where it has one",
            "bucket",
            "prefix",
            "backend",
            "backend_bucket",
            "backend_prefix"),
    SAVED_REQUESTS(
            Kind.GAUGE,
            "millrace.saved.requests",
            "GETs, HEADs and items of batches served to clients less the requests sent to backends, by the bucket's"
                    + " names for clients and at its backend",
            "bucket",
            "backend",
            "backend_bucket"),
    SAVED_BYTES(
            Kind.GAUGE,
            "millrace.saved.bytes",
            "Bytes of bodies served to clients less those fetched, by the bucket's names for clients and at its"
                    + " backend",
            "bucket",
            "backend",
            "backend_bucket"),
    SAVED_MONEY(
            Kind.GAUGE,
            "millrace.saved.money",
            "Price of the saved requests and bytes in the currency of prices, by the bucket's names for clients and at"
                    + " its backend",
            "bucket",
            "backend",
            "backend_bucket"),
    DISK_STATE(
            Kind.GAUGE,
            "millrace.disk.state",
            "1 for a disk's current state, 0 for the others, by disk and state",
            "disk",
            "state"),
    DISK_USED(Kind.GAUGE, "millrace.disk.used.bytes", "Bytes of segments on a disk, by disk", "disk"),
    DISK_SIZE(Kind.GAUGE, "millrace.disk.size.bytes", "Bytes that the settings allow on a disk, by disk", "disk"),
    DISK_AVAILABLE(
            Kind.GAUGE,
            "millrace.disk.available.bytes",
            "Bytes that segments may take on a disk now; 0 if it is lost, by disk",
            "disk"),
    DISK_QUEUED(Kind.GAUGE, "millrace.disk.queued.bytes", "Bytes that wait to be written to a disk, by disk", "disk"),
    DISK_READ(
            Kind.SUMMARY,
            "millrace.disk.read",
            "Time of reads that went to a disk, not of those from the page cache on the fast path, by disk",
            "disk"),
    DISK_READ_BYTES(
            Kind.COUNTER, "millrace.disk.read.bytes", "Bytes of the reads that went to a disk, by disk", "disk"),
    DISK_WRITE(
            Kind.SUMMARY,
            "millrace.disk.write",
            "Time of the writes of blocks to a disk, each from the moment it was queued, by disk",
            "disk"),
    DISK_WRITTEN_BYTES(
            Kind.COUNTER, "millrace.disk.written.bytes", "Bytes of bodies written to a disk, by disk", "disk"),
    DISK_SLOWNESS(
            Kind.GAUGE,
            "millrace.disk.slowness.ratio",
            "Time of disk reads divided by the time of fetches of the same sizes, by disk; 0 if unknown",
            "disk"),
    SCRUB_AGE(
            Kind.GAUGE,
            "millrace.disk.scrub.age.seconds",
            "Seconds since the oldest verification on a disk, by disk",
            "disk"),
    SCRUB_CORRUPT(Kind.COUNTER, "millrace.disk.scrub.corrupt", "Corrupt blocks that the scrub found, by disk", "disk"),
    METADATA_HEALTHY(Kind.GAUGE, "millrace.metadata.healthy", "Whether the metadata store can be used: 1 or 0"),
    METADATA_OBJECTS(Kind.GAUGE, "millrace.metadata.objects", "Estimated number of objects with stored metadata"),
    METADATA_DISK(Kind.GAUGE, "millrace.metadata.disk.bytes", "Bytes of the metadata store on its disk"),
    METADATA_MEMORY(
            Kind.GAUGE, "millrace.metadata.memory.bytes", "Bytes of memory of the metadata store outside the heap"),
    ARCHIVE_SCAN(
            Kind.SUMMARY,
            "millrace.archive.scan",
            "Time of scans of archives for their members, without the wait for a turn, by outcome: ok, damaged (cannot"
                    + " be read to its end), failed (cannot be read, or its bytes could not be had)",
            "outcome"),
    ARCHIVE_SCANS(
            Kind.GAUGE,
            "millrace.archive.scans",
            "Scans of archives for their members, by state: running, waiting (for a turn)",
            "state"),
    ARCHIVE_HIDDEN(
            Kind.COUNTER,
            "millrace.archive.hidden.entries",
            "Entries of scanned archives that are not shown as members, by reason",
            "reason"),
    ARCHIVE_INDEXES(Kind.GAUGE, "millrace.archive.indexes", "Indexes of archives in memory"),
    ARCHIVE_INDEX_BYTES(
            Kind.GAUGE, "millrace.archive.index.bytes", "Bytes of memory of the indexes of archives in memory"),
    ARCHIVE_LOOKUPS(
            Kind.COUNTER,
            "millrace.archive.index.lookups",
            "Look-ups of the index of an archive, by result: hit (it is in memory), miss",
            "result"),
    TRANSFORM_CALL(
            Kind.SUMMARY,
            "millrace.transform.call",
            "Time of calls of the services of transforms, retries included and without the wait for a turn, by outcome:"
                    + " ok, refused (nothing is made of the object), failed, cancelled",
            "transform",
            "outcome"),
    TRANSFORM_INPUT(
            Kind.COUNTER, "millrace.transform.input.bytes", "Bytes sent to the services of transforms", "transform"),
    TRANSFORM_OUTPUT(Kind.COUNTER, "millrace.transform.output.bytes", "Bytes of results of transforms", "transform"),
    TRANSFORM_FAILING(
            Kind.GAUGE,
            "millrace.transform.failing",
            "Whether all calls of the service of a transform have failed for a minute (1), the last of them within"
                    + " five",
            "transform"),
    JOBS(Kind.GAUGE, "millrace.jobs", "Jobs, by state; ended ones count while they are kept", "state"),
    JOB_OBJECTS(
            Kind.COUNTER,
            "millrace.job.objects",
            "Objects that jobs processed, by kind and outcome",
            "kind",
            "outcome"),
    JOB_BYTES(Kind.COUNTER, "millrace.job.bytes", "Bytes that jobs moved, by kind", "kind"),
    JOB_SCHEDULE_TIMES(
            Kind.COUNTER,
            "millrace.job.schedule.times",
            "Times of schedules, by schedule and by outcome: started, skipped, missed, failed",
            "schedule",
            "outcome"),
    JOB_WEBHOOK_MESSAGES(
            Kind.COUNTER,
            "millrace.job.webhook.messages",
            "Messages that jobs have ended, by webhook and by outcome: sent, failed, dropped",
            "webhook",
            "outcome"),
    JOB_AGE(
            Kind.GAUGE,
            "millrace.job.age.seconds",
            "Time since an active job was submitted, by id, kind and state; of at most 100 jobs, the oldest first",
            "id",
            "kind",
            "state"),
    JOB_PROGRESS(
            Kind.GAUGE,
            "millrace.job.progress.ratio",
            "Share of an active job that is done, 0 to 1; missing while its objects are being counted",
            "id",
            "kind",
            "state"),
    CLUSTER_READY(
            Kind.GAUGE,
            "millrace.cluster.ready",
            "1 if every member of the cluster has confirmed this one; while it is 0 this one takes no writes"),
    CLUSTER_MEMBERS(
            Kind.GAUGE,
            "millrace.cluster.members",
            "Other members of the cluster by state: heard, paused, away, lists-differ, refuses",
            "state"),
    CLUSTER_LEASES_HELD(
            Kind.GAUGE,
            "millrace.cluster.leases.held",
            "Other members whose lease is held; without all of them, reads of buckets with coherence strong"
                    + " revalidate"),
    CLUSTER_LEASES_LOST(
            Kind.COUNTER,
            "millrace.cluster.leases.lost",
            "Leases of other members that were held and ran out, because a member did not respond or gave no further"
                    + " one"),
    CLUSTER_MISSED_BUCKETS(
            Kind.GAUGE,
            "millrace.cluster.missed.buckets",
            "Buckets that a member has missed and not invalidated yet; all together count as one",
            "member"),
    CLUSTER_ANNOUNCE(
            Kind.HISTOGRAM,
            "millrace.cluster.announce",
            "From the end of a write or invalidation here until its client has the outcome, for which it waits for"
                    + " other members"),
    CLUSTER_WRITES_WAITED(
            Kind.COUNTER,
            "millrace.cluster.writes.waited",
            "Writes and invalidations whose client waited for a time limit, because a member did not acknowledge them"),
    CLUSTER_READS_WITHOUT_LEASE(
            Kind.COUNTER,
            "millrace.cluster.reads.without.lease",
            "Reads and lists that had to be revalidated, because not all leases were held"),
    CLUSTER_RELAYED_READS(
            Kind.COUNTER,
            "millrace.cluster.relayed.reads",
            "Requests for objects that were served by their home, another member, or for the home by a member that had"
                    + " the bytes, instead of the backend"),
    CLUSTER_FALLBACKS(
            Kind.COUNTER,
            "millrace.cluster.fallbacks",
            "Requests for objects that went to the backend, because no other member served them as their home"),
    CLUSTER_COPIED_BYTES(
            Kind.COUNTER,
            "millrace.cluster.copied.bytes",
            "Bytes of blocks that were read from their home and stored here too, because they are read often or a job"
                    + " wants them"),
    SETTINGS_RELOADS(Kind.COUNTER, "millrace.settings.reloads", "Reloads of the settings file, by outcome", "outcome"),
    SETTINGS_LOADED(
            Kind.GAUGE,
            "millrace.settings.loaded.timestamp.seconds",
            "When the settings in force were read or last confirmed, in seconds since 1970"),
    SETTINGS_PENDING(
            Kind.GAUGE, "millrace.settings.pending", "Changed settings that need a restart, as of the last reload"),
    TLS_EXPIRY(
            Kind.GAUGE,
            "millrace.tls.certificate.expiry.timestamp.seconds",
            "When the certificate in use expires, in seconds since 1970, by port",
            "port"),
    TLS_RELOAD_FAILING(
            Kind.GAUGE,
            "millrace.tls.reload.failing",
            "1 while changed certificate files cannot be used, and the certificate before stays in use, by port",
            "port"),
    ACCESS_LOG_LINES(Kind.COUNTER, "millrace.access.log.lines", "Lines written to the access log"),
    ACCESS_LOG_LOST(Kind.COUNTER, "millrace.access.log.lost", "Requests that should be in the access log and are not"),
    ACCESS_LOG_FAILING(Kind.GAUGE, "millrace.access.log.failing", "1 while the access log cannot be written"),
    AUDIT_LINES(Kind.COUNTER, "millrace.audit.lines", "Lines written to the audit log"),
    AUDIT_LOST(Kind.COUNTER, "millrace.audit.lost", "Requests that should be in the audit log and are not"),
    AUDIT_FAILING(Kind.GAUGE, "millrace.audit.failing", "1 while the audit log cannot be written"),
    LOOP_LAG(Kind.HISTOGRAM, "millrace.event.loop.lag", "Delay of tasks on the event loops that serve S3"),
    BUILD(
            Kind.GAUGE,
            "millrace.build.info",
            "Always 1; its labels are the versions of the program and of Java",
            "version",
            "java");

    private final Kind kind;
    private final String wireName;
    private final String description;

    @SuppressWarnings("ImmutableEnumChecker") // List.of is
    private final List<String> labels;

    /** The kind of a meter, which decides the end of its name. */
    public enum Kind {
        /** Never falls, except by a restart. */
        COUNTER("_total"),
        GAUGE(""),
        /** Of times: count, sum and counts up to bounds. */
        HISTOGRAM("_seconds"),
        /** Of times: count and sum. */
        SUMMARY("_seconds");

        private final String suffix;

        Kind(String suffix) {
            this.suffix = suffix;
        }
    }

    MeterName(Kind kind, String wireName, String description, String... labels) {
        this.kind = kind;
        this.wireName = wireName;
        this.description = description;
        this.labels = List.of(labels);
    }

    public Kind kind() {
        return kind;
    }

    /** Returns the name for Micrometer, with dots, and without the suffix of its kind. */
    public String wireName() {
        return wireName;
    }

    /** Returns the name at {@code /metrics}. */
    public String prometheusName() {
        return familyName() + kind.suffix;
    }

    /** Returns the name at {@code /metrics} without the {@code _total} of counters. */
    public String familyName() {
        return wireName.replace('.', '_');
    }

    public String description() {
        return description;
    }

    /** Returns the names of its labels, without those of histogram buckets. */
    public List<String> labels() {
        return labels;
    }
}
