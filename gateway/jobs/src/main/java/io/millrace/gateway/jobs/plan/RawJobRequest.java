package io.millrace.gateway.jobs.plan;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The JSON body of a request for a job, as the client wrote it, before it is parsed and checked. Sizes are written
 * {@code 64MiB}, ages {@code 7d} or {@code P7D}.
 *
 * @param kind {@code prefetch}, {@code copy}, {@code pack}, {@code download}, {@code evict} or {@code verify}
 * @param shards to make of the selection; pack only
 * @param range of each object, as {@code bytes=0-1048575}; prefetch only
 * @param pin time from submission during which the selection is pinned in the cache, as {@code 7d}; prefetch only
 * @param overwrite {@code if-absent}, {@code if-changed} or {@code always}: what to do with objects that the target
 *     has; copy and download
 * @param deleteExtra true to delete objects that only the target has; copy only
 * @param maxDelete the most objects that {@code deleteExtra} may delete
 * @param dryRun true to count only
 * @param workers concurrent objects
 * @param bandwidth bytes a second
 * @param requestsPerSecond of all workers together
 * @param attempts for each object
 * @param clientToken makes a repeated submission of one identity return the first job
 */
public record RawJobRequest(
        @Nullable String kind,
        @Nullable From from,
        @Nullable To to,
        @Nullable Shards shards,
        @Nullable String range,
        @Nullable String pin,
        @Nullable String overwrite,
        @Nullable Boolean deleteExtra,
        @Nullable Integer maxDelete,
        @Nullable Boolean dryRun,
        @Nullable Integer workers,
        @Nullable String bandwidth,
        @Nullable Integer requestsPerSecond,
        @Nullable Integer attempts,
        @Nullable String clientToken) {

    /**
     * Returns the bucket that the job belongs to, as clients name it: the source, or the target of a download; "none"
     * if the request has no bucket.
     */
    public String bucket() {
        String bucket = from == null || from.bucket() == null ? (to == null ? null : to.bucket()) : from.bucket();
        return bucket == null ? "none" : bucket;
    }

    /** Returns this request with at most this many of its keys or URLs. */
    public RawJobRequest brief(int limit) {
        return with(from == null ? null : from.brief(limit), clientToken);
    }

    /** Returns this request with another client token. */
    public RawJobRequest withClientToken(String token) {
        return with(from, token);
    }

    private RawJobRequest with(@Nullable From source, @Nullable String token) {
        return new RawJobRequest(
                kind,
                source,
                to,
                shards,
                range,
                pin,
                overwrite,
                deleteExtra,
                maxDelete,
                dryRun,
                workers,
                bandwidth,
                requestsPerSecond,
                attempts,
                token);
    }

    /**
     * Returns a request that retries the failures of a job with this request. That of a pack is the same again, which
     * makes what the target lacks; of one that appends there is none that its kind accepts.
     *
     * @param job its id
     */
    public RawJobRequest ofFailures(String job) {
        if (shards != null && !Boolean.TRUE.equals(shards.append())) {
            return with(from, null);
        }
        From failures = new From(
                from == null ? null : from.bucket(),
                from == null ? null : from.prefix(),
                null,
                null,
                null,
                job,
                null,
                null,
                null,
                null,
                null,
                null,
                null);
        // A retry selects a part of the objects, so it must not delete others. The token belongs to the first job.
        return new RawJobRequest(
                kind,
                failures,
                to,
                shards,
                range,
                null,
                overwrite,
                null,
                null,
                dryRun,
                workers,
                bandwidth,
                requestsPerSecond,
                attempts,
                null);
    }

    /**
     * The selection of objects.
     *
     * @param template names with counters, {@code shard-{000..127}.tar}; URLs for a download
     * @param manifest key of an object that lists keys, or {@code s3://bucket/key} of one in another bucket
     * @param failuresOf id of the job whose failures to retry
     * @param urls of a download, each a {@link UrlListEntry}
     * @param newerThan an age or a point in time
     * @param olderThan an age or a point in time
     */
    public record From(
            @Nullable String bucket,
            @Nullable String prefix,
            @Nullable String template,
            @Nullable List<String> keys,
            @Nullable String manifest,
            @Nullable String failuresOf,
            @Nullable List<String> urls,
            @Nullable String glob,
            @Nullable String regex,
            @Nullable String minSize,
            @Nullable String maxSize,
            @Nullable String newerThan,
            @Nullable String olderThan) {
        private From brief(int limit) {
            return new From(
                    bucket,
                    prefix,
                    template,
                    first(keys, limit),
                    manifest,
                    failuresOf,
                    first(urls, limit),
                    glob,
                    regex,
                    minSize,
                    maxSize,
                    newerThan,
                    olderThan);
        }

        private static @Nullable List<String> first(@Nullable List<String> texts, int limit) {
            return texts == null || texts.size() <= limit ? texts : List.copyOf(texts.subList(0, limit));
        }
    }

    /** The target. */
    public record To(@Nullable String bucket, @Nullable String prefix) {}

    /**
     * The shards of a pack.
     *
     * @param name below the target's prefix, with a counter, as {@code shard-%06d.tar}
     * @param size bytes of a shard, at most
     * @param samples of a shard, at most
     * @param shuffle seed of the order of the samples; that of their keys if absent
     * @param window samples that are mixed at a time; all if absent
     * @param append true to number the shards after those that the target has
     */
    public record Shards(
            @Nullable String name,
            @Nullable String size,
            @Nullable Integer samples,
            @Nullable Long shuffle,
            @Nullable Integer window,
            @Nullable Boolean append) {}
}
