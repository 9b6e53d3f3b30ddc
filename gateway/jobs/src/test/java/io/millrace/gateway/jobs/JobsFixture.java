package io.millrace.gateway.jobs;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.millrace.auth.Credential;
import io.millrace.auth.CredentialsProvider;
import io.millrace.auth.policy.AllowRule;
import io.millrace.auth.policy.Authorizer;
import io.millrace.auth.policy.BucketPolicy;
import io.millrace.auth.policy.Principal;
import io.millrace.auth.session.CredentialFinder;
import io.millrace.auth.session.Revocation;
import io.millrace.auth.session.RevocationTarget;
import io.millrace.auth.session.Revocations;
import io.millrace.backend.http.AddressRange;
import io.millrace.backend.http.AllowedUrlPattern;
import io.millrace.backend.spi.Backend;
import io.millrace.backend.spi.ReadRequest;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.backend.testkit.Polling;
import io.millrace.cache.BlockCache;
import io.millrace.cache.metadata.ObjectPrefix;
import io.millrace.gateway.jobs.plan.JobRequests;
import io.millrace.gateway.jobs.plan.RawJobRequest;
import io.millrace.gateway.objects.bucket.BucketRegistry;
import io.millrace.gateway.objects.bucket.BucketSavingsRegistry;
import io.millrace.gateway.objects.bucket.BucketSettings;
import io.millrace.gateway.objects.bucket.BucketView;
import io.millrace.gateway.objects.bucket.BucketViews;
import io.millrace.gateway.objects.derived.ArchiveIndexes;
import io.millrace.gateway.objects.derived.DerivedBackends;
import io.millrace.gateway.objects.derived.TransformSettings;
import io.millrace.gateway.objects.derived.Transforms;
import io.millrace.gateway.objects.read.CurrentObjectFinder;
import io.millrace.gateway.objects.read.ObjectSourceFactory;
import io.millrace.gateway.objects.read.RequestCacheControl;
import io.millrace.gateway.objects.testkit.CacheFixture;
import io.millrace.gateway.objects.write.FencedWrites;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** A job service of a test, over buckets of the same names at backends of their own, and a cache on a disk. */
final class JobsFixture implements AutoCloseable {
    static final Duration SOON = Duration.ofSeconds(60);

    /** Beyond any pause of a machine with other work. */
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    static final Principal ADMIN = who("admin", "*");

    private final Path folder;
    private final Map<BucketName, Backend> backends;
    private final List<BucketSettings> derived;
    private final Map<String, TransformSettings> transforms;
    private final Transforms services = new Transforms(new SimpleMeterRegistry());
    private final BlockCache cache;
    private final HttpFetcher fetcher;
    private final Map<String, Principal> owners = new ConcurrentHashMap<>(Map.of(ADMIN.name(), ADMIN));
    private final AtomicLong ahead = new AtomicLong();
    private final InstantSource clock = () -> Instant.now().plusMillis(ahead.get());
    private final Revocations revocations = new Revocations();
    private JobService jobs;

    JobsFixture(Path folder, Map<BucketName, Backend> backends) throws IOException {
        this(folder, backends, List.of());
    }

    /**
     * Creates a fixture.
     *
     * @param size of the cache's disk
     */
    JobsFixture(Path folder, String size, Map<BucketName, Backend> backends) throws IOException {
        this(folder, size, backends, List.of(), PATIENCE);
    }

    /** Creates a fixture with derived buckets beside the others. */
    static JobsFixture withDerived(Path folder, Map<BucketName, Backend> backends, BucketSettings... derived)
            throws IOException {
        return new JobsFixture(folder, "256MiB", backends, List.of(), PATIENCE, derived);
    }

    /** Creates a fixture with the transform {@code twice}, and a bucket of what it makes beside the others. */
    static JobsFixture withTransform(
            Path folder, Map<BucketName, Backend> backends, TransformSettings twice, BucketSettings derived)
            throws IOException {
        return new JobsFixture(
                folder, "256MiB", backends, List.of(), PATIENCE, Map.of("twice", twice), List.of(derived));
    }

    /**
     * Creates a fixture.
     *
     * @param allow URLs that may be downloaded, also from this machine
     */
    JobsFixture(Path folder, Map<BucketName, Backend> backends, List<AllowedUrlPattern> allow) throws IOException {
        this(folder, "256MiB", backends, allow, PATIENCE);
    }

    /** Creates a fixture like the one above, with a time after which a web server that sends nothing is given up. */
    JobsFixture(Path folder, Map<BucketName, Backend> backends, List<AllowedUrlPattern> allow, Duration webIdleTimeout)
            throws IOException {
        this(folder, "256MiB", backends, allow, webIdleTimeout);
    }

    private JobsFixture(
            Path folder,
            String size,
            Map<BucketName, Backend> backends,
            List<AllowedUrlPattern> allow,
            Duration webIdleTimeout,
            BucketSettings... derived)
            throws IOException {
        this(folder, size, backends, allow, webIdleTimeout, Map.of(), List.of(derived));
    }

    private JobsFixture(
            Path folder,
            String size,
            Map<BucketName, Backend> backends,
            List<AllowedUrlPattern> allow,
            Duration webIdleTimeout,
            Map<String, TransformSettings> transforms,
            List<BucketSettings> derived)
            throws IOException {
        this.derived = derived;
        this.transforms = transforms;
        this.fetcher = new HttpFetcher(new FetchSettings(
                allow, List.of(AddressRange.parse("127.0.0.0/8")), PATIENCE, PATIENCE, webIdleTimeout));
        this.folder = folder;
        this.backends = backends;
        this.cache = CacheFixture.in(folder.resolve("cache"), size, clock);
        this.jobs = open();
    }

    static Principal who(String name, String... rules) {
        return new Principal(name, List.of(rules).stream().map(AllowRule::parse).toList());
    }

    JobService jobs() {
        return jobs;
    }

    /** Revokes as an operator does. */
    void revoke(RevocationTarget target, String name) {
        revocations.set(List.of(new Revocation(target, name, Instant.now())));
        jobs.refresh();
    }

    BlockCache cache() {
        return cache;
    }

    /** Makes everything in the cache older. */
    void turnClockAhead(Duration time) {
        ahead.addAndGet(time.toMillis());
    }

    /** Invalidates the objects whose keys begin with this one, as an operator does. */
    void invalidate(ObjectRef beginning) {
        cache.writeFence()
                .invalidate(new ObjectPrefix(
                        "backend-of-" + beginning.bucket(),
                        beginning.bucket(),
                        beginning.key().value()))
                .block(SOON);
    }

    /** Reads the metadata of one object version, like a client. */
    void readHead(ObjectRef object, String versionId) {
        CurrentObjectFinder objects = new CurrentObjectFinder(Optional.of(cache), ObjectSourceFactory.BACKENDS, clock);
        BucketView bucket = buckets().findAny(object.bucket()).orElseThrow();
        Objects.requireNonNull(
                objects.find(bucket, ReadRequest.of(object).withVersionId(versionId), RequestCacheControl.NONE, false)
                        .block(SOON));
    }

    /** Ends the job service and starts it again. */
    void restart() throws IOException {
        jobs.close();
        jobs = open();
    }

    /** Ends the job service, changes its files, and starts it again. */
    void interrupted(Change change) throws IOException {
        jobs.close();
        change.run();
        jobs = open();
    }

    /** A change of files. */
    interface Change {
        void run() throws IOException;
    }

    JobStatus admin(String request) {
        return submit(ADMIN, request);
    }

    /** Submits a request in JSON, whose quotes may be single ones. */
    JobStatus submit(Principal who, String request) {
        owners.put(who.name(), who);
        RawJobRequest parsed = JobRequests.of(request);
        return Objects.requireNonNull(jobs.submit(who, parsed).block(SOON));
    }

    /** Returns the job when it is no longer active. */
    JobStatus end(JobStatus job) {
        return await(job.id(), status -> !status.state().isActive());
    }

    JobStatus await(String id, Predicate<JobStatus> reached) {
        return Polling.within(SOON).until(() -> jobs.get(ADMIN, id), reached);
    }

    @Override
    public void close() {
        jobs.close();
        fetcher.close().block(SOON);
        cache.close();
    }

    /** The owners of jobs, who sign nothing. */
    private final class Owners implements CredentialsProvider {
        @Override
        public Optional<Credential> find(String accessKey, @Nullable String token) {
            return Optional.empty();
        }

        @Override
        public Optional<Credential> named(String principal) {
            return Optional.ofNullable(owners.get(principal)).map(owner -> new Credential("KEY", "secret", owner));
        }
    }

    private JobService open() throws IOException {
        CurrentObjectFinder objects = new CurrentObjectFinder(Optional.of(cache), ObjectSourceFactory.BACKENDS, clock);
        JobAccess access = new JobAccess(
                new Authorizer(name -> BucketPolicy.NONE),
                new CredentialFinder(List.of(new Owners()), revocations, clock),
                buckets());
        JobService opened = JobService.open(
                folder.resolve("data"),
                new JobSettings(4, 100),
                () -> access,
                new FencedWrites(Optional.of(cache), objects),
                Optional.of(JobCacheAccess.of(cache, ObjectSourceFactory.BACKENDS, clock)),
                fetcher,
                TaskResultListener.NONE,
                InstantSource.system());
        opened.start();
        return opened;
    }

    private BucketRegistry buckets() {
        List<BucketSettings> entries = new ArrayList<>();
        Map<String, Backend> byName = new HashMap<>();
        backends.forEach((bucket, backend) -> {
            String name = "backend-of-" + bucket;
            byName.put(name, backend);
            entries.add(BucketViews.settings(bucket.value(), name, Optional.empty(), ""));
        });
        entries.addAll(derived);
        CurrentObjectFinder objects = new CurrentObjectFinder(Optional.of(cache), ObjectSourceFactory.BACKENDS, clock);
        BucketSavingsRegistry savings = BucketSavingsRegistry.free();
        ArchiveIndexes indexes = new ArchiveIndexes(Optional.of(cache));
        return new BucketRegistry(
                entries,
                DerivedBackends.with(entries, byName, savings, objects, indexes, transforms, services),
                savings);
    }
}
