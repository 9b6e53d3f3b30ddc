package io.millrace.gateway.jobs.request;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a client writes to have a job, word for word; {@link JobSpec} is what it means. Sizes are written {@code 64MiB}, ages
 * {@code 7d} or {@code P7D}.
 *
 * @param kind {@code prefetch}, {@code copy}, {@code download}, {@code evict} or {@code verify}
 * @param range of each object, as {@code bytes=0-1048575}; prefetch only
 * @param keep how long what is selected stays in the cache though other things want its room, from submission on, as {@code 7d};
 *     prefetch only
 * @param which {@code new}, {@code changed} or {@code all}; copy and download
 * @param deleteExtra whether what is only in the target is deleted; copy only
 * @param dryRun whether it only counts
 * @param workers objects at a time
 * @param bandwidth bytes of a second
 * @param requestsPerSecond of all workers together
 * @param attempts for each object
 * @param clientToken the same token of the same identity is the same job
 */
public record JobRequest(
        @Nullable String kind,
        @Nullable From from,
        @Nullable To to,
        @Nullable String range,
        @Nullable String keep,
        @Nullable String which,
        @Nullable Boolean deleteExtra,
        @Nullable Boolean dryRun,
        @Nullable Integer workers,
        @Nullable String bandwidth,
        @Nullable Integer requestsPerSecond,
        @Nullable Integer attempts,
        @Nullable String clientToken) {

    /** The bucket whose it is, as clients name it: where it takes from, or a download goes to; "none" if it names none. */
    public String bucket() {
        String bucket = from == null || from.bucket() == null ? (to == null ? null : to.bucket()) : from.bucket();
        return bucket == null ? "none" : bucket;
    }

    /** The same with no more than so many of its keys or URLs. */
    public JobRequest brief(int most) {
        return new JobRequest(
                kind,
                from == null ? null : from.brief(most),
                to,
                range,
                keep,
                which,
                deleteExtra,
                dryRun,
                workers,
                bandwidth,
                requestsPerSecond,
                attempts,
                clientToken);
    }

    /**
     * The same for what failed in a job that was asked for with these words.
     *
     * @param job its id
     */
    public JobRequest ofFailures(String job) {
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
        // What is beside a few objects must not be deleted, and the token was that of the first job.
        return new JobRequest(
                kind,
                failures,
                to,
                range,
                null,
                which,
                null,
                dryRun,
                workers,
                bandwidth,
                requestsPerSecond,
                attempts,
                null);
    }

    /**
     * Which objects.
     *
     * @param template names with counters, {@code shard-{000..127}.tar}; of URLs for a download
     * @param manifest key of an object that lists keys, or {@code s3://bucket/key} of one in another bucket
     * @param failuresOf a job whose failures are to be tried again
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
        private From brief(int most) {
            return new From(
                    bucket,
                    prefix,
                    template,
                    first(keys, most),
                    manifest,
                    failuresOf,
                    first(urls, most),
                    glob,
                    regex,
                    minSize,
                    maxSize,
                    newerThan,
                    olderThan);
        }

        private static @Nullable List<String> first(@Nullable List<String> texts, int most) {
            return texts == null || texts.size() <= most ? texts : List.copyOf(texts.subList(0, most));
        }
    }

    /** Where to. */
    public record To(@Nullable String bucket, @Nullable String prefix) {}
}
