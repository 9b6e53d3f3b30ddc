package io.millrace.gateway.jobs;

import io.millrace.backend.http.url.WebUrl;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.gateway.jobs.download.DownloadTask;
import io.millrace.gateway.jobs.download.DownloadedObjectWriter;
import io.millrace.gateway.jobs.download.UnrangedDownload;
import io.millrace.gateway.jobs.fetch.HttpFetcher;
import io.millrace.gateway.jobs.plan.Plan;
import io.millrace.gateway.jobs.plan.PlanFactory;
import io.millrace.gateway.jobs.plan.PrefixRenaming;
import io.millrace.gateway.jobs.request.InvalidJobException;
import io.millrace.gateway.jobs.request.JobDestination;
import io.millrace.gateway.jobs.request.JobKind;
import io.millrace.gateway.jobs.request.JobSpec;
import io.millrace.gateway.jobs.request.ObjectSelection.Source;
import io.millrace.gateway.jobs.request.OverwriteMode;
import io.millrace.gateway.jobs.request.UrlListEntry;
import io.millrace.gateway.jobs.request.UrlTemplate;
import io.millrace.gateway.jobs.store.ObjectFailure;
import io.millrace.gateway.jobs.store.PartPlan;
import io.millrace.gateway.jobs.store.PendingUploadStore;
import io.millrace.gateway.jobs.task.CopyTask;
import io.millrace.gateway.jobs.task.EvictTask;
import io.millrace.gateway.jobs.task.JobCacheAccess;
import io.millrace.gateway.jobs.task.JobObjectCopier;
import io.millrace.gateway.jobs.task.JobOutlook;
import io.millrace.gateway.jobs.task.ObjectTask;
import io.millrace.gateway.jobs.task.PrefetchRoom;
import io.millrace.gateway.jobs.task.PrefetchTask;
import io.millrace.gateway.jobs.task.VerifyCachedTask;
import io.millrace.gateway.jobs.task.VerifyCopyTask;
import io.millrace.gateway.jobs.upload.FailureClassifier;
import io.millrace.gateway.jobs.upload.FairSemaphore;
import io.millrace.gateway.jobs.upload.JobUploadLifecycle;
import io.millrace.gateway.jobs.upload.ParallelPartUploader;
import io.millrace.gateway.jobs.upload.StoppableWrites;
import io.millrace.gateway.objects.bucket.BucketRegistry;
import io.millrace.gateway.objects.bucket.BucketView;
import io.millrace.gateway.objects.write.FencedWrites;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.util.retry.Retry;

/** Creates what runs a job from its request: the plan of its objects, and the task that processes each. */
final class JobTaskFactory {
    private final BucketRegistry buckets;
    private final FencedWrites writes;
    private final Optional<JobCacheAccess> cache;
    private final HttpFetcher fetcher;
    private final InstantSource clock;
    private final Instant started;
    private final FairSemaphore blocks;

    /**
     * Creates a factory.
     *
     * @param cache empty if there is no cache
     */
    JobTaskFactory(
            BucketRegistry buckets,
            FencedWrites writes,
            Optional<JobCacheAccess> cache,
            HttpFetcher fetcher,
            InstantSource clock) {
        this(buckets, writes, cache, fetcher, clock, clock.instant(), new FairSemaphore(UnrangedDownload.BLOCKS));
    }

    private JobTaskFactory(
            BucketRegistry buckets,
            FencedWrites writes,
            Optional<JobCacheAccess> cache,
            HttpFetcher fetcher,
            InstantSource clock,
            Instant started,
            FairSemaphore blocks) {
        this.buckets = buckets;
        this.writes = writes;
        this.cache = cache;
        this.fetcher = fetcher;
        this.clock = clock;
        this.started = started;
        this.blocks = blocks;
    }

    /** Returns a factory for other buckets, with the same limits. */
    JobTaskFactory with(BucketRegistry others) {
        return new JobTaskFactory(others, writes, cache, fetcher, clock, started, blocks);
    }

    /**
     * Checks that this gateway can run such a job.
     *
     * @throws JobException of kind UNSUPPORTED if it needs a cache or downloads, and there are none
     * @throws InvalidJobException if a bucket does not exist or cannot be listed for it, or a target lies in its own selection, or a URL is not
     *     allowed
     */
    void require(JobSpec spec) {
        switch (spec.kind()) {
            case COPY -> requireApart(spec, from(spec), to(spec));
            case DOWNLOAD -> requireAllowed(spec);
            case VERIFY -> {
                from(spec);
                spec.to().ifPresentOrElse(to -> to(spec), this::requiredCache);
            }
            case PREFETCH, EVICT -> {
                from(spec);
                requiredCache();
            }
        }
        if (listsSource(spec)) {
            requireListing("from", from(spec));
        }
        if (comparesListings(spec)) {
            requireListing("to", to(spec));
        }
    }

    private static void requireListing(String field, BucketView bucket) {
        if (!bucket.canList()) {
            throw new InvalidJobException(
                    field,
                    "is on backend '%s', which cannot list objects: select them by keys, a template or a manifest"
                            .formatted(bucket.backendName()));
        }
    }

    private void requireAllowed(JobSpec spec) {
        to(spec);
        if (!fetcher.isOpen()) {
            throw new JobException(
                    JobException.Kind.UNSUPPORTED,
                    "downloads are not allowed here: list allowed URLs, as https://data.example.org/sets/, below"
                            + " downloads.allowed-urls in the settings file");
        }
        Source source = spec.from().source();
        if (source instanceof Source.Urls urls) {
            urls.lines().forEach(line -> requireAllowed("from.urls", line));
        } else if (source instanceof Source.Template template) {
            UrlTemplate names = UrlTemplate.of(template.names());
            requireAllowed("from.template", names.line(0));
            requireAllowed("from.template", names.line(template.names().count() - 1));
        } else if (source instanceof Source.Manifest manifest) {
            bucket("from.manifest", manifest.in());
        }
    }

    private void requireAllowed(String field, String line) {
        WebUrl url = UrlListEntry.parse(line).url();
        if (!fetcher.allows(url)) {
            throw new InvalidJobException(
                    field,
                    "has %s, which downloads.allowed-urls in the settings file does not allow"
                            .formatted(url.withoutQuery()));
        }
    }

    /** Refuses a target inside the selection, because the job would copy its own copies again and again. */
    private static void requireApart(JobSpec spec, BucketView from, BucketView to) {
        boolean sameBucket = from.backendName().equals(to.backendName())
                && from.backendBucket().equals(to.backendBucket());
        PrefixRenaming names = names(spec);
        String source = from.toBackend(names.from());
        String target = to.toBackend(names.to());
        // Only a listing grows while it is copied.
        boolean meet = spec.from().source() instanceof Source.Listing
                ? target.startsWith(source) || (spec.deleteExtra() && source.startsWith(target))
                : target.equals(source);
        if (sameBucket && meet) {
            throw new InvalidJobException("to", "lies inside the selection: choose another bucket or prefix");
        }
    }

    /**
     * Makes the plan of a job.
     *
     * @param readable the objects that the owner may read as lists that a manifest names
     */
    Plan plan(JobSpec spec, List<ObjectFailure> failuresOfAnother, Predicate<ObjectKey> readable) {
        Retry retry = FailureClassifier.retry(spec.limits().attempts());
        if (spec.kind() == JobKind.DOWNLOAD) {
            return urls(spec.from().source(), failuresOfAnother, retry);
        }
        BucketView from = from(spec);
        Plan source = MissingBucketNamer.ofSource(from)
                .naming(PlanFactory.filtered(
                        source(spec, from, failuresOfAnother, readable, retry),
                        spec.from().filter()));
        if (!comparesListings(spec)) {
            return source;
        }
        BucketView to = to(spec);
        Plan target = MissingBucketNamer.ofTarget(to)
                .naming(PlanFactory.listing(to, names(spec).to(), retry));
        return PlanFactory.compared(source, target, names(spec), spec.deleteExtra());
    }

    private static boolean comparesListings(JobSpec spec) {
        boolean compares = switch (spec.kind()) {
            case COPY -> spec.overwrite() != OverwriteMode.ALWAYS || spec.deleteExtra();
            case VERIFY -> spec.to().isPresent();
            case PREFETCH, DOWNLOAD, EVICT -> false;
        };
        return compares && spec.from().source() instanceof Source.Listing;
    }

    /** Returns whether the plan lists the source at its backend, not in the cache. */
    private static boolean listsSource(JobSpec spec) {
        return spec.from().source() instanceof Source.Listing && !isOfTheCache(spec);
    }

    /** Returns whether the job works on what is cached, whatever its bucket has. */
    private static boolean isOfTheCache(JobSpec spec) {
        return switch (spec.kind()) {
            case EVICT -> true;
            case VERIFY -> spec.to().isEmpty();
            case PREFETCH, DOWNLOAD, COPY -> false;
        };
    }

    private Plan urls(Source source, List<ObjectFailure> failuresOfAnother, Retry retry) {
        if (source instanceof Source.Urls urls) {
            return PlanFactory.numbered(
                    urls.lines().size(), index -> urls.lines().get((int) index));
        }
        if (source instanceof Source.Template template) {
            return PlanFactory.numbered(template.names().count(), UrlTemplate.of(template.names())::line);
        }
        if (source instanceof Source.Manifest manifest) {
            return PlanFactory.lines(bucket("from.manifest", manifest.in()), manifest.key(), retry);
        }
        return PlanFactory.numbered(
                failuresOfAnother.size(),
                index -> failuresOfAnother.get((int) index).key());
    }

    private Plan source(
            JobSpec spec,
            BucketView bucket,
            List<ObjectFailure> failuresOfAnother,
            Predicate<ObjectKey> readable,
            Retry retry) {
        Source source = spec.from().source();
        if (source instanceof Source.Listing listing) {
            return listsSource(spec)
                    ? PlanFactory.listing(bucket, listing.prefix(), retry)
                    : PlanFactory.cached(requiredCache().residents(), bucket, listing.prefix());
        }
        if (source instanceof Source.Template template) {
            return PlanFactory.template(template.names());
        }
        if (source instanceof Source.Keys keys) {
            return PlanFactory.keys(keys.keys());
        }
        if (source instanceof Source.FailuresOf) {
            return PlanFactory.keys(failuresOfAnother.stream()
                    .map(failure -> new ObjectKey(failure.key()))
                    .toList());
        }
        Source.Manifest manifest = (Source.Manifest) source;
        return PlanFactory.manifest(bucket("from.manifest", manifest.in()), manifest.key(), bucket, readable, retry);
    }

    /**
     * Makes the task of a job.
     *
     * @param begun when the job ran for the first time
     * @param run sends the writes of this run
     * @param notes the pending uploads of the job
     */
    ObjectTask task(JobSpec spec, Instant begun, StoppableWrites run, PendingUploadStore notes) {
        return missingBucketNamer(spec).naming(ofKind(spec, begun, run, notes));
    }

    private MissingBucketNamer missingBucketNamer(JobSpec spec) {
        if (spec.kind() == JobKind.DOWNLOAD) {
            return MissingBucketNamer.ofTarget(to(spec));
        }
        return spec.to().isPresent()
                ? MissingBucketNamer.ofBoth(from(spec), to(spec))
                : MissingBucketNamer.ofSource(from(spec));
    }

    private ObjectTask ofKind(JobSpec spec, Instant begun, StoppableWrites run, PendingUploadStore notes) {
        return switch (spec.kind()) {
            case PREFETCH -> new PrefetchTask(requiredCache().ahead(), from(spec), spec);
            case COPY -> {
                JobObjectCopier copies = new JobObjectCopier(
                        run, new ParallelPartUploader(run, uploads(notes)), cache.map(JobCacheAccess::objects));
                yield new CopyTask(from(spec), to(spec), spec, names(spec), run, copies, begun);
            }
            case EVICT -> new EvictTask(requiredCache().residents(), from(spec));
            case VERIFY ->
                spec.to().isPresent()
                        ? new VerifyCopyTask(
                                from(spec), to(spec), names(spec), spec.limits().bytes())
                        : new VerifyCachedTask(
                                requiredCache().residents(),
                                requiredCache().bytes(),
                                from(spec),
                                spec.limits().bytes());
            case DOWNLOAD -> {
                DownloadedObjectWriter downloads = new DownloadedObjectWriter(
                        fetcher, run, uploads(notes), spec.limits().attempts(), blocks);
                yield new DownloadTask(fetcher, to(spec), spec, names(spec), downloads, begun);
            }
        };
    }

    /**
     * Makes the outlook of a job.
     *
     * @param selection the objects of the job
     */
    JobOutlook outlook(JobSpec spec, Plan selection) {
        return spec.kind() == JobKind.PREFETCH
                ? new PrefetchRoom(requiredCache(), from(spec), spec, selection)
                : JobOutlook.NONE;
    }

    /**
     * Checks that the buckets of a job that only a pattern names exist at their backends, because the name may be
     * misspelt. A backend that does not answer is not waited for long: the job will wait for it.
     *
     * @throws InvalidJobException (as an error of the result) if one does not exist
     */
    Mono<Void> requireExisting(JobSpec spec) {
        List<Mono<Void>> checks = new ArrayList<>();
        if (spec.kind() != JobKind.DOWNLOAD && !isOfTheCache(spec)) {
            checks.add(requireExisting("from.bucket", from(spec)));
        }
        spec.to().ifPresent(to -> checks.add(requireExisting("to.bucket", to(spec))));
        return Flux.concat(checks).then();
    }

    private static Mono<Void> requireExisting(String field, BucketView bucket) {
        return bucket.isMissing()
                .filter(missing -> missing)
                .flatMap(missing -> Mono.error(new InvalidJobException(
                        field, "does not exist at backend '%s'".formatted(bucket.backendName()))));
    }

    /** Makes the sender of the writes of one run. */
    StoppableWrites writes(JobSpec spec) {
        return new StoppableWrites(
                writes, spec.limits().bytes(), Math.max(spec.limits().workers() / 2, PartPlan.AT_ONCE));
    }

    /** Makes the registry that begins and aborts the uploads of a job. */
    JobUploadLifecycle uploads(PendingUploadStore notes) {
        return new JobUploadLifecycle(buckets, notes, writes.pendingUploadCreations(), clock, started);
    }

    /** Returns the prefixes of the selection and of the target. */
    static PrefixRenaming names(JobSpec spec) {
        String from = "";
        if (spec.from().source() instanceof Source.Listing listing) {
            from = listing.prefix();
        } else if (spec.from().source() instanceof Source.FailuresOf failures) {
            from = failures.prefix();
        }
        return new PrefixRenaming(from, spec.to().map(JobDestination::prefix).orElse(""));
    }

    private JobCacheAccess requiredCache() {
        return cache.orElseThrow(() -> new JobException(
                JobException.Kind.UNSUPPORTED, "this gateway has no cache: add a disk below cache.disks"));
    }

    private BucketView from(JobSpec spec) {
        return bucket("from.bucket", spec.from().bucket());
    }

    private BucketView to(JobSpec spec) {
        return bucket("to.bucket", spec.to().orElseThrow().bucket());
    }

    private BucketView bucket(String field, BucketName name) {
        return buckets.findAny(name).orElseThrow(() -> new InvalidJobException(field, "is no bucket of this gateway"));
    }
}
