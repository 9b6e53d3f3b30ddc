package io.millrace.gateway.testkit;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.millrace.auth.CredentialsProvider;
import io.millrace.auth.IdentityLimitSettings;
import io.millrace.auth.IdentityRegistry;
import io.millrace.auth.IdentitySettings;
import io.millrace.auth.SignatureSettings;
import io.millrace.auth.policy.AllowRule;
import io.millrace.auth.policy.Authorizer;
import io.millrace.auth.policy.BucketPolicy;
import io.millrace.auth.policy.IdentityPolicy;
import io.millrace.auth.policy.IpRange;
import io.millrace.auth.session.CredentialFinder;
import io.millrace.auth.session.Revocations;
import io.millrace.auth.session.RoleRegistry;
import io.millrace.auth.session.SessionKeyFile;
import io.millrace.auth.session.Sessions;
import io.millrace.auth.session.StsSettings;
import io.millrace.auth.signature.RequestSigner;
import io.millrace.auth.signature.RequestVerifier;
import io.millrace.backend.http.BackendTlsSettings;
import io.millrace.backend.http.ConnectionSettings;
import io.millrace.backend.millrace.MillraceBackendProvider;
import io.millrace.backend.millrace.MillraceBackendSettings;
import io.millrace.backend.spi.Backend;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.cache.BlockCache;
import io.millrace.config.DataSize;
import io.millrace.config.Secret;
import io.millrace.gateway.objects.bucket.AnonymousAccess;
import io.millrace.gateway.objects.bucket.BucketPattern;
import io.millrace.gateway.objects.bucket.BucketRegistry;
import io.millrace.gateway.objects.bucket.BucketSavingsRegistry;
import io.millrace.gateway.objects.bucket.BucketSettings;
import io.millrace.gateway.objects.bucket.BucketViews;
import io.millrace.gateway.objects.bucket.CacheRule;
import io.millrace.gateway.objects.bucket.CorsSettings;
import io.millrace.gateway.objects.bucket.FreshnessSettings;
import io.millrace.gateway.objects.derived.ArchiveIndexes;
import io.millrace.gateway.objects.derived.DerivedBackends;
import io.millrace.gateway.objects.derived.MemberViews;
import io.millrace.gateway.objects.derived.TransformSettings;
import io.millrace.gateway.objects.derived.Transforms;
import io.millrace.gateway.objects.monitor.MeterName;
import io.millrace.gateway.objects.read.CurrentObjectFinder;
import io.millrace.gateway.objects.read.HeadPrefetcher;
import io.millrace.gateway.objects.read.ObjectSourceFactory;
import io.millrace.gateway.objects.write.FencedWrites;
import io.millrace.gateway.s3.bucket.ContinuationTokenSealer;
import io.millrace.gateway.s3.bucket.CorsRuleCache;
import io.millrace.gateway.s3.bucket.ReadBucketFinder;
import io.millrace.gateway.s3.connection.ConnectionMeters;
import io.millrace.gateway.s3.connection.RefusalReason;
import io.millrace.gateway.s3.gate.S3RequestAuthorizer;
import io.millrace.gateway.s3.observe.IdentityLimiter;
import io.millrace.gateway.s3.observe.RequestRecord;
import io.millrace.gateway.s3.observe.RequestRecorder;
import io.millrace.gateway.s3.protocol.BucketHostRule;
import io.millrace.gateway.s3.server.HandlerRegistry;
import io.millrace.gateway.s3.server.RequestService;
import io.millrace.gateway.s3.server.S3Responder;
import io.millrace.gateway.s3.server.S3Server;
import io.millrace.gateway.s3.server.S3Settings;
import io.millrace.gateway.s3.sts.StsResponder;
import io.netty.handler.ssl.SslContext;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * A data plane on a free port of the loopback, over any backends, with real sockets and no Spring. The identity
 * {@link #ACCESS_KEY} may do everything.
 */
public final class TestGateway implements AutoCloseable {
    public static final String ACCESS_KEY = "TESTKEY";
    public static final String SECRET_KEY = "test-secret-key";
    public static final String DOMAIN = "s3.test";

    private final S3Server server;
    private final Recorded recorded;
    private final MeterRegistry registry;

    private TestGateway(S3Server server, Recorded recorded, MeterRegistry registry) {
        this.server = server;
        this.recorded = recorded;
        this.registry = registry;
    }

    /** Starts with nothing; add buckets and identities. */
    public static Builder builder() {
        return new Builder();
    }

    /** A gateway whose every bucket is the backend's of the same name. */
    public static TestGateway over(Backend backend) {
        return builder().bucket("*", backend).start();
    }

    /** Creates a backend that is this gateway. */
    public Backend asBackend(int maxConnections) {
        Duration soon = Duration.ofSeconds(20);
        return new MillraceBackendProvider()
                .create(
                        "far",
                        new MillraceBackendSettings(
                                endpoint(),
                                ACCESS_KEY,
                                Secret.of(SECRET_KEY),
                                new ConnectionSettings(
                                        maxConnections,
                                        BackendTlsSettings.DEFAULTS,
                                        Optional.empty(),
                                        soon,
                                        soon,
                                        soon)));
    }

    public int port() {
        return server.port();
    }

    public URI endpoint() {
        return URI.create((server.isEncrypted() ? "https" : "http") + "://127.0.0.1:" + port());
    }

    /** Opens a connection, over TLS if the gateway speaks it. */
    public RawClient connect() throws IOException {
        return server.isEncrypted() ? RawClient.overTls(port()) : new RawClient(port());
    }

    /** Open connections, without refused ones. */
    public int connections() {
        return (int) registry.get(MeterName.CONNECTIONS.wireName()).gauge().value();
    }

    /** Connections that were refused or cut for this reason. */
    public int refused(RefusalReason reason) {
        return (int) registry.get(MeterName.CONNECTIONS_REFUSED.wireName())
                .tag("reason", reason.wireName())
                .counter()
                .count();
    }

    /** Requests that were refused because of an identity's limits. */
    public int throttled() {
        return (int) registry.get(MeterName.THROTTLED.wireName()).counter().count();
    }

    /** Signs with the identity that may do everything. */
    public RequestSigner signer() {
        return new RequestSigner(ACCESS_KEY, Secret.of(SECRET_KEY), "us-east-1");
    }

    /** The requests that have ended, in that order. */
    public List<RequestRecord> requests() {
        return recorded.ended;
    }

    /** Requests that have begun and not ended. */
    public int inFlight() {
        return recorded.started.get() - recorded.ended.size();
    }

    @Override
    public void close() {
        server.stop();
    }

    private static final class Recorded implements RequestRecorder {
        private final AtomicInteger started = new AtomicInteger();
        private final List<RequestRecord> ended = new CopyOnWriteArrayList<>();

        @Override
        public void started() {
            started.incrementAndGet();
        }

        @Override
        public void ended(RequestRecord request) {
            ended.add(request);
        }
    }

    /** Collects what a gateway serves. */
    public static final class Builder {
        private final List<BucketSettings> buckets = new ArrayList<>();
        private final Map<String, Backend> backends = new LinkedHashMap<>();
        private final Map<String, TransformSettings> transforms = new LinkedHashMap<>();
        private final List<IdentitySettings> identities = new ArrayList<>();
        private final List<CredentialsProvider> credentials = new ArrayList<>();
        private Duration drain = Duration.ofSeconds(5);
        private Duration stalledReader = Duration.ofMinutes(5);
        private InstantSource clock = InstantSource.system();
        private Optional<BlockCache> cache = Optional.empty();
        private ObjectSourceFactory sources = ObjectSourceFactory.BACKENDS;
        private BucketSavingsRegistry savings = BucketSavingsRegistry.free();
        private FreshnessSettings freshness = BucketViews.FRESHNESS;
        private BucketSettings.WriteMode write = BucketSettings.WriteMode.FILL;
        private BucketSettings.AccessPolicyMode accessPolicies = BucketSettings.AccessPolicyMode.REFUSE;
        private Optional<BucketPolicy> policy = Optional.empty();
        private List<String> forwardUnknown = List.of();
        private List<CorsSettings> cors = List.of();
        private List<CacheRule> caching = List.of();
        private boolean prefetchOnHead;
        private Duration idle = Duration.ofSeconds(60);
        private Optional<Supplier<SslContext>> tls = Optional.empty();
        private Duration requestHead = Duration.ofSeconds(10);
        private int maxConnections = 16_384;
        private Optional<Integer> maxConnectionsPerAddress = Optional.empty();
        private List<IpRange> trustedProxies = List.of();
        private StsSettings sts = new StsSettings(false, Optional.empty(), List.of(), List.of());
        private Optional<SessionKeyFile> sessionKeys = Optional.empty();
        private Revocations revocations = new Revocations();

        private Builder() {
            identity("tester", ACCESS_KEY, SECRET_KEY, "*");
        }

        /** A bucket, or a pattern of buckets, on a backend. */
        public Builder bucket(String pattern, Backend backend) {
            return bucket(pattern, backend, "", "none");
        }

        /** The same below a prefix, with what everybody may do. */
        public Builder bucket(String pattern, Backend backend, String prefix, String anonymous) {
            backends.put("backend-" + backends.size(), backend);
            return bucket(pattern, Optional.empty(), prefix, anonymous);
        }

        /** Another name for a part of a bucket on the backend of the bucket before. */
        public Builder alias(String name, String real, String prefix) {
            return bucket(name, Optional.of(new BucketName(real)), prefix, "none");
        }

        /** The members of archives in another bucket, below a prefix. */
        public Builder derived(String name, String from, String members, String prefix) {
            buckets.add(BucketViews.derived(name, from, members, prefix));
            return this;
        }

        /** What a transform makes of the objects of another bucket, below a prefix. */
        public Builder transformed(String name, String from, String prefix, TransformSettings settings) {
            transforms.put("make-" + name, settings);
            buckets.add(BucketViews.transformed(name, from, "make-" + name, prefix));
            return this;
        }

        private Builder bucket(String pattern, Optional<BucketName> real, String prefix, String anonymous) {
            buckets.add(new BucketSettings(
                    BucketPattern.parse(pattern),
                    "backend-" + (backends.size() - 1),
                    Optional.empty(),
                    Optional.empty(),
                    real,
                    prefix,
                    AnonymousAccess.parse(anonymous),
                    policy,
                    write,
                    accessPolicies,
                    forwardUnknown,
                    cors,
                    caching,
                    freshness,
                    Optional.empty(),
                    prefetchOnHead,
                    Optional.empty(),
                    List.of(),
                    Optional.empty()));
            return this;
        }

        /** Somebody who may do this. */
        public Builder identity(String name, String accessKey, String secretKey, String... allow) {
            identities.add(new IdentitySettings(
                    name,
                    accessKey,
                    Secret.of(secretKey),
                    List.of(allow).stream().map(AllowRule::parse).toList()));
            return this;
        }

        /** Somebody who has policies. */
        public Builder identity(String name, String accessKey, String secretKey, List<IdentityPolicy> policies) {
            identities.add(new IdentitySettings(
                    name, accessKey, Secret.of(secretKey), List.of(), policies, IdentityLimitSettings.NONE));
            return this;
        }

        /** Somebody who may do everything, within limits. */
        public Builder identity(String name, String accessKey, String secretKey, IdentityLimitSettings limits) {
            identities.add(new IdentitySettings(
                    name, accessKey, Secret.of(secretKey), List.of(AllowRule.parse("*")), List.of(), limits));
            return this;
        }

        /** Adds a source of credentials beside the identities. */
        public Builder credentials(CredentialsProvider source) {
            credentials.add(source);
            return this;
        }

        /** Issues temporary credentials with these keys, which stay their owner's, until they are revoked. */
        public Builder sts(StsSettings settings, SessionKeyFile keys, Revocations inForce) {
            sts = settings;
            sessionKeys = Optional.of(keys);
            revocations = inForce;
            return this;
        }

        /** For buckets that are added after this. */
        public Builder policy(BucketPolicy rules) {
            policy = Optional.of(rules);
            return this;
        }

        public Builder stalledReader(Duration time) {
            stalledReader = time;
            return this;
        }

        public Builder drain(Duration time) {
            drain = time;
            return this;
        }

        /** The cache stays its owner's. Without one every read is passed through. */
        public Builder cache(BlockCache blocks) {
            cache = Optional.of(blocks);
            return this;
        }

        /** Where the objects of all buckets come from. */
        public Builder sources(ObjectSourceFactory factory) {
            sources = factory;
            return this;
        }

        /** For buckets that are added after this. */
        public Builder freshness(FreshnessSettings rule) {
            freshness = rule;
            return this;
        }

        /** For buckets that are added after this. */
        public Builder write(BucketSettings.WriteMode mode) {
            write = mode;
            return this;
        }

        /** For buckets that are added after this. */
        public Builder accessPolicies(BucketSettings.AccessPolicyMode rules) {
            accessPolicies = rules;
            return this;
        }

        /** For buckets that are added after this. */
        public Builder forwardUnknown(String... names) {
            forwardUnknown = List.of(names);
            return this;
        }

        /** For buckets that are added after this. */
        public Builder cors(CorsSettings... rules) {
            cors = List.of(rules);
            return this;
        }

        /** For buckets that are added after this. */
        public Builder caching(CacheRule... rules) {
            caching = List.of(rules);
            return this;
        }

        /** For buckets that are added after this. */
        public Builder prefetchOnHead() {
            prefetchOnHead = true;
            return this;
        }

        /** How long a client may send nothing. */
        public Builder idle(Duration time) {
            idle = time;
            return this;
        }

        public Builder tls(Supplier<SslContext> context) {
            tls = Optional.of(context);
            return this;
        }

        /** Sets the time that a client may take to send a head, and for a handshake. */
        public Builder requestHead(Duration time) {
            requestHead = time;
            return this;
        }

        public Builder maxConnections(int most) {
            maxConnections = most;
            return this;
        }

        public Builder maxConnectionsPerAddress(int most) {
            maxConnectionsPerAddress = Optional.of(most);
            return this;
        }

        public Builder trustedProxies(String... ranges) {
            trustedProxies = Stream.of(ranges).map(IpRange::parse).toList();
            return this;
        }

        public Builder clock(InstantSource source) {
            clock = source;
            return this;
        }

        /** Where the savings of buckets are counted. */
        public Builder savings(BucketSavingsRegistry own) {
            savings = own;
            return this;
        }

        /** Returns what serves the requests, without a port. */
        public RequestService service() {
            return service(new Recorded(), new SimpleMeterRegistry());
        }

        private RequestService service(Recorded recorded, MeterRegistry registry) {
            CurrentObjectFinder objects = new CurrentObjectFinder(cache, sources, clock);
            ArchiveIndexes archives = new ArchiveIndexes(cache);
            BucketRegistry views = new BucketRegistry(
                    buckets,
                    DerivedBackends.with(
                            buckets, backends, savings, objects, archives, transforms, new Transforms(registry)),
                    savings);
            IdentityRegistry own = IdentityRegistry.of(identities);
            Optional<Sessions> sessions = sessionKeys.map(
                    keys -> new Sessions(keys, new RoleRegistry(sts.roles()), own, Optional.empty(), clock));
            List<CredentialsProvider> providers = new ArrayList<>(credentials);
            providers.add(0, own);
            sessions.ifPresent(providers::add);
            CredentialFinder known = new CredentialFinder(providers, revocations, clock);
            S3RequestAuthorizer gate = new S3RequestAuthorizer(
                    new RequestVerifier(known, SignatureSettings.defaults(), clock),
                    new Authorizer(views::policyOf),
                    clock);
            CorsRuleCache cors = new CorsRuleCache(views, Duration.ofSeconds(60));
            ContinuationTokenSealer tokens = new ContinuationTokenSealer(new byte[ContinuationTokenSealer.KEY_BYTES]);
            return new RequestService(
                    new S3Responder(
                            new BucketHostRule(Optional.of(DOMAIN)),
                            gate,
                            cors,
                            List.of(new StsResponder(
                                    sts, known, sessions, SignatureSettings.defaults(), Optional.empty(), clock)),
                            HandlerRegistry.of(
                                    gate,
                                    views,
                                    new ReadBucketFinder(views, new MemberViews(objects, archives)),
                                    cors,
                                    objects,
                                    new HeadPrefetcher(cache, sources, clock),
                                    new FencedWrites(cache, objects),
                                    tokens,
                                    clock.instant())),
                    recorded.and(new IdentityLimiter(identities, registry)));
        }

        public TestGateway start() {
            Recorded recorded = new Recorded();
            MeterRegistry registry = new SimpleMeterRegistry();
            RequestService service = service(recorded, registry);
            S3Settings settings = new S3Settings(
                    "127.0.0.1",
                    0,
                    Optional.empty(),
                    Optional.empty(),
                    Optional.of(DOMAIN),
                    DataSize.parse("64KiB"),
                    idle,
                    requestHead,
                    maxConnections,
                    maxConnectionsPerAddress,
                    trustedProxies,
                    stalledReader,
                    Duration.ZERO,
                    drain,
                    Optional.empty(),
                    SignatureSettings.defaults());
            S3Server server = new S3Server(settings, () -> service, tls, new ConnectionMeters(registry, "s3"));
            server.start();
            return new TestGateway(server, recorded, registry);
        }
    }
}
